//! placeholder
pub(super) fn register() -> Result<(), git2::Error> {
    Ok(())
}
