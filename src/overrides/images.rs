//! The images of containers in a document.
//!
//! An alias makes a node stand in several places at once. So every node is visited once in each role it
//! has, however often it is repeated: five times at most, and nothing grows. An image may be
//! edited only where being a container's image is all it is.

use std::collections::HashSet;

use crate::yaml::{Content, Id, Style, Yaml};

/// An image in a document: the node that an edit would replace, and the object it is part of.
pub(super) struct Image {
    /// A scalar, or the alias of one.
    pub(super) id: Id,
    /// The scalar itself.
    pub(super) scalar: Id,
    pub(super) object: Id,
    /// Another place gives the same node another meaning.
    pub(super) shared: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Other = 1,
    /// The value under `containers`.
    List = 2,
    /// An item of that list.
    Container = 4,
    /// The value under its `image`.
    Image = 8,
    /// Anything within a key, where nothing is looked for.
    Key = 16,
}

pub(super) const CONTAINERS: [&str; 2] = ["containers", "initContainers"];
pub(super) const EPHEMERAL: &str = "ephemeralContainers";

/// Every image below the roots, in the order of the text. A CustomResourceDefinition's schema talks
/// about containers and has none; it is passed over, in a list of objects too.
pub(super) fn images(yaml: &Yaml, roots: &[Id], ephemeral: bool) -> Vec<Image> {
    walk(yaml, roots, ephemeral).0
}

/// The images, and how many nodes were looked at to find them.
fn walk(yaml: &Yaml, roots: &[Id], ephemeral: bool) -> (Vec<Image>, usize) {
    let mut looks = 0;
    let mut roles = vec![0_u8; yaml.nodes.len()];
    let mut found: Vec<Image> = Vec::new();
    let lists: HashSet<Id> = roots.iter().filter_map(|&root| item_list(yaml, root)).collect();
    let mut todo: Vec<(Id, Role, Id)> = roots.iter().rev().map(|&root| (root, Role::Other, root)).collect();
    let holds_containers = |key: &str| CONTAINERS.contains(&key) || (ephemeral && key == EPHEMERAL);
    while let Some((id, role, object)) = todo.pop() {
        let (Some(node), Some(seen)) = (yaml.nodes.get(id), roles.get_mut(id)) else { continue };
        if *seen & role as u8 != 0 {
            continue;
        }
        *seen |= role as u8;
        looks += 1;
        match &node.content {
            Content::Alias(target) if role == Role::Image && yaml.scalar(*target).is_some() => {
                found.push(Image { id, scalar: *target, object, shared: false });
            }
            Content::Alias(target) => todo.push((*target, role, object)),
            Content::Scalar(_) if role == Role::Image => found.push(Image { id, scalar: id, object, shared: false }),
            Content::Scalar(_) => {}
            Content::Sequence(items) => {
                let item = match role {
                    Role::List => Role::Container,
                    Role::Key => Role::Key,
                    Role::Other | Role::Container | Role::Image => Role::Other,
                };
                let objects = role == Role::Other && lists.contains(&id);
                todo.extend(items.iter().map(|&item_id| (item_id, item, if objects { item_id } else { object })));
            }
            Content::Map(_) if is_definition(yaml, object, id) => {}
            Content::Map(entries) => {
                for &(key, value) in entries {
                    todo.push((key, Role::Key, object));
                    match yaml.key(key) {
                        _ if role == Role::Key => todo.push((value, Role::Key, object)),
                        Some(name) if holds_containers(name) => todo.push((value, Role::List, object)),
                        Some("image") if role == Role::Container => todo.push((value, Role::Image, object)),
                        Some("<<") if role == Role::Container => merged(yaml, key, value, object, &mut todo),
                        _ => todo.push((value, Role::Other, object)),
                    }
                }
            }
        }
    }
    for image in &mut found {
        image.shared = roles.get(image.id).is_none_or(|&seen| seen != Role::Image as u8);
    }
    found.sort_by_key(|image| image.id);
    (found, looks)
}

/// What a container merges is part of it: a map, or each map of a list.
fn merged(yaml: &Yaml, key: Id, value: Id, object: Id, todo: &mut Vec<(Id, Role, Id)>) {
    let plain = yaml.scalar(key).is_some_and(|scalar| scalar.style == Style::Plain);
    match yaml.sequence(value) {
        _ if !plain => todo.push((value, Role::Other, object)),
        Some(maps) => todo.extend(maps.iter().map(|&map| (map, Role::Container, object))),
        None => todo.push((value, Role::Container, object)),
    }
}

/// The `items` of a root whose kind ends in `List`: each of them is an object.
fn item_list(yaml: &Yaml, root: Id) -> Option<Id> {
    let entries = yaml.map(root)?;
    let kind = yaml.key(yaml.get(entries, "kind")?)?;
    kind.ends_with("List").then(|| yaml.get(entries, "items").map(|items| yaml.resolve(items)))?
}

fn is_definition(yaml: &Yaml, object: Id, id: Id) -> bool {
    let kind = || yaml.get(yaml.map(id)?, "kind").and_then(|kind| yaml.key(kind));
    yaml.resolve(object) == id && kind() == Some("CustomResourceDefinition")
}

/// An object's kind and name, for reports: `Deployment/web`.
pub(super) fn object(yaml: &Yaml, id: Id) -> String {
    let text = |entries: &[(Id, Id)], key: &str| yaml.get(entries, key).and_then(|value| yaml.key(value));
    let Some(entries) = yaml.map(id) else { return "?/?".to_owned() };
    let metadata = yaml.get(entries, "metadata").and_then(|metadata| yaml.map(metadata));
    let name = metadata.and_then(|metadata| text(metadata, "name"));
    format!("{}/{}", text(entries, "kind").unwrap_or("?"), name.unwrap_or("?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let yaml = Yaml::parse(text).unwrap();
        let show = |image: Image| {
            let shared = if image.shared { "!" } else { "" };
            format!("{}{shared}", yaml.scalar(image.id).unwrap().value)
        };
        images(&yaml, &yaml.documents, false).into_iter().map(show).collect()
    }

    #[test]
    fn finds_images_of_containers_at_any_depth_and_nothing_else() {
        let text = "
image: no
containers:
- image: a
  env: [{image: no}]
  containers: [{image: b}, [{image: no}], image, {image: {image: no}}]
- {initContainers: [{'image': c}]}
containers2: [{image: no}]
x: {y: [{z: {initContainers: [{image: d}]}}]}
ephemeralContainers: [{image: no}]
? {containers: [{image: no}]}
: 1
m: {containers: {image: no, a: {image: no}}}
";
        assert_eq!(found(text), ["a", "b", "c", "d"]);
        let yaml = Yaml::parse("ephemeralContainers: [{image: e}]").unwrap();
        assert_eq!(images(&yaml, &yaml.documents, true).len(), 1);
    }

    #[test]
    fn passes_over_definitions_and_only_those() {
        let crd = "{kind: CustomResourceDefinition, spec: {containers: [{image: no}]}}";
        let pod = "{kind: Pod, spec: {containers: [{image: a}], x: {kind: CustomResourceDefinition, containers: [{image: b}]}}}";
        assert_eq!(found(&format!("--- {crd}\n--- {pod}\n")), ["a", "b"]);
        assert_eq!(found(&format!("{{kind: List, items: [{crd}, {pod}, {crd}]}}")), ["a", "b"]);
        assert_eq!(found(&format!("{{kind: Foo, items: [{crd}]}}")), ["no"], "not a list of objects");
    }

    #[test]
    fn knows_what_an_alias_shares() {
        for (text, expected) in [
            ("x: &a {image: i}\ncontainers: [*a]", vec!["i!"]),
            ("containers: [&a {image: i}, *a]\ninitContainers: [*a]", vec!["i"]),
            ("containers: &c [{image: i}]\ninitContainers: *c", vec!["i"]),
            ("s: &s {containers: [{image: i}]}\nt: *s", vec!["i"]),
            ("containers: [{image: &i i}, {image: *i}]", vec!["i", "i"]),
            ("containers: [{image: &i i, x: *i}]", vec!["i!"]),
            ("x: &i i\ncontainers: [{image: *i}]", vec!["i"]),
            ("x: &i i\nc: &c {image: *i}\ncontainers: [*c]", vec!["i!"]),
            ("x: &m {image: i}\ncontainers: [{<<: *m}]", vec!["i!"]),
            ("containers: [&m {image: i}, {<<: [*m]}]", vec!["i"]),
            ("containers: [&m {image: i}, {'<<': *m}]", vec!["i!"]),
            ("a: &a [*a, {containers: *a}]", vec![]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn ten_times_the_containers_are_ten_times_the_looks() {
        let looks = |containers: usize| {
            let text = format!("containers:\n{}", "- {image: i, env: [{name: n, value: v}]}\n".repeat(containers));
            let yaml = Yaml::parse(&text).unwrap();
            let (images, looks) = walk(&yaml, &yaml.documents, false);
            assert_eq!((images.len(), looks), (containers, yaml.nodes.len()));
            looks - 3
        };
        assert_eq!(looks(10_000), 10 * looks(1_000));
    }

    #[test]
    fn repetition_costs_nothing() {
        let mut text = "a0: &a0 {containers: [{image: i}]}\n".to_owned();
        for level in 1..60 {
            let below = level - 1;
            text.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{below}"); 9].join(",")));
        }
        assert_eq!(found(&text), ["i"]);
        let yaml = Yaml::parse(&text).unwrap();
        let (_, looks) = walk(&yaml, &yaml.documents, false);
        assert!(looks <= 2 * yaml.nodes.len(), "{looks} looks at {} nodes", yaml.nodes.len());
    }
}
