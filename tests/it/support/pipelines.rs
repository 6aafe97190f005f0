//! The text of a pipeline file, as areas that only read trees have it.

/// The least that a pipeline over `registry.example/org/own` says.
pub const PLAIN: &str = "\
name: shop
repository: https://git.example/shop
root: packages
identity: {name: shop-release, email: release@shop.example}
references: {owned: [registry.example/org/own]}
artifact: {repository: registry.example/org/own/own-packages, source: https://git.example/shop}
installer: {values: core/installer/values.yaml, url_key: sourceUrl, ref_key: sourceRef}
";

/// What areas say about it themselves.
#[derive(Default)]
pub struct Text<'a> {
    /// The declared text file, as a list's entry.
    pub text: &'a str,
    /// Where the gzip copy is, without its extension: beside it lies its source, with `.yaml`.
    pub gzip: &'a str,
    /// Further keys of `references`, each a line with its indentation.
    pub references: &'a str,
    /// Further keys, each on a line.
    pub more: &'a str,
}

impl Text<'_> {
    /// A pipeline that owns `registry.example/org/own`.
    pub fn build(&self) -> String {
        let Self { text, gzip, references, more } = self;
        format!(
            "\
name: shop
repository: https://git.example/shop
root: packages
identity: {{name: shop-release, email: release@shop.example}}
references:
  owned: [registry.example/org/own]
  tag_prefixes: [v1.30-]
  text: [{text}]
  gzip: [{{path: {gzip}.gz, plain: {gzip}.yaml}}]
{references}artifact: {{repository: registry.example/org/own/own-packages, source: https://git.example/shop}}
installer: {{values: core/installer/values.yaml, url_key: sourceUrl, ref_key: sourceRef}}
{more}"
        )
    }
}
