//! What an alias follows.

use crate::support::images;
use crate::support::world::{Case, World, shipped};

/// An image with a prefixed stable tag only, beside which somebody pushed a plain one by hand.
#[tokio::test(flavor = "multi_thread")]
async fn an_alias_follows_no_strangers_tag() {
    let shipped = shipped().into_iter().find(|shipped| shipped.name == "cozystack").unwrap();
    let world = World::build(&Case::of(&shipped)).await;
    let name = "ghcr.io/cozystack/cozystack/ubuntu-container-disk";
    let stranger = images::push_index(&world.registries(), &name.parse().unwrap(), Some("v1.6.2"), "a stranger").await;
    world.promote().await;
    let seen = world.snapshot();
    assert_eq!(seen.tag(&format!("{name}:v1.6.2")), Some(stranger.to_string().as_str()));
    assert_eq!(seen.tag(&format!("{name}:latest")), None);
    assert!(seen.tag("ghcr.io/cozystack/cozystack/kamaji:latest").is_some());
}
