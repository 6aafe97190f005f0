//! Single facts over trees in memory.

use sealift::pipeline::Pipeline;
use sealift::producers::{BuildList, Stamped};
use sealift::refs::Occurrence;
use sealift::tree::MemTree;

use super::{gzip, own, read};

pub(super) const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// One package with one reference, `a.image`, and a recipe.
pub(super) fn tree(recipe: &str) -> MemTree {
    let mut tree = MemTree::new("test");
    tree.put("Makefile", 0o644, "build:\n\tmake -C packages/x/a image\n");
    tree.put("packages/x/a/Makefile", 0o644, recipe);
    tree.put("packages/x/a/values.yaml", 0o644, format!("a:\n  image: registry.example/org/own/a:v1@{DIGEST}\n"));
    tree
}

pub(super) fn bare() -> Pipeline {
    Pipeline { producers: Vec::new(), ..own() }
}

fn stamped(tree: &MemTree) -> Stamped {
    let (found, references) = read(tree, &bare());
    found.of(only(&references.occurrences))
}

fn only(all: &[Occurrence]) -> &Occurrence {
    let [one] = all else { panic!("{all:?}") };
    one
}

fn verdict(recipe: &str) -> String {
    match stamped(&tree(recipe)) {
        Stamped::One { producer, perhaps } => {
            let perhaps: String = perhaps.iter().map(|note| format!(" perhaps:{}", note.place.line)).collect();
            format!("{}:{}{perhaps}", producer.target, producer.place.unwrap().line)
        }
        Stamped::None { .. } => "none".into(),
        Stamped::Several { producers } => format!("{}", producers.len()),
        Stamped::Unknown { place, .. } => format!("unknown:{}", place.line),
        Stamped::NotApplicable { why } => why,
    }
}

#[test]
fn a_recipe_is_read_as_make_and_a_shell_read_it() {
    for (recipe, expected) in [
        ("image:\n\tyq -i '.a.image = strenv(I)' values.yaml\n", "image:2"),
        ("image:\n\t@-+yq -i '.a.image = strenv(I)' values.yaml\n", "image:2"),
        ("image: ; yq -i '.a.image = strenv(I)' values.yaml\n", "image:1"),
        ("image:\n\ttrue\n\tX=1 \\\n\t  Y=2 \\\n\t  yq -i '.a.image = strenv(I)' values.yaml\n", "image:3"),
        ("image:\n\ttrue && \\\n\t  yq -i '.a.image = strenv(I)' values.yaml\n", "image:3"),
        ("image:\n\tyq -i '.a = {\"image\": strenv(I)}' ./values.yaml\n", "image:2"),
        ("image:\n\tyq --inplace=true e '.a.image = 1' ../../x/a/values.yaml\n", "image:2"),
        ("image:\n\tyq '.a.image = 1' values.yaml\n", "none"),
        ("image:\n\tyq -i '.a.image = 1' other.yaml\n", "none"),
        ("image:\n\tyq -i '.a.images = 1' values.yaml\n", "none"),
        ("image:\n\t# yq -i '.a.image = 1' values.yaml\n", "none"),
        ("image:\n\techo yq -i '.a.image = 1' values.yaml\n", "none"),
        ("image: x\nx: y\ny:\n\tyq -i '.a.image = 1' values.yaml\n", "y:4"),
        ("image:\n\t$(MAKE) y\ny:\n\tyq -i '.a.image = 1' values.yaml\n", "y:4"),
        ("image:\n\tmake -C . y K=a\ny:\n\tyq -i '.$(K).image = 1' values.yaml\n", "y:4"),
        ("y:\n\tyq -i '.a.image = 1' values.yaml\nimage:\n", "none"),
        ("F := values.yaml\nimage:\n\tyq -i '.a.image = 1' $(F)\n", "image:3"),
        ("F = $(G)\nG = values.yaml\nimage:\n\tyq -i '.a.image = 1' $(F)\n", "image:4"),
        ("image: F = values.yaml\nimage:\n\tyq -i '.a.image = 1' $(F)\n", "image:3"),
        ("export F = values.yaml\nimage:\n\tyq -i '.a.image = 1' $$F\n", "image:3"),
        ("F = values.yaml\nimage:\n\tyq -i '.a.image = 1' $$F\n", "unknown:3"),
        ("image:\n\tyq -i '.a.image = 1' $(F)\n", "unknown:2"),
        ("F := $(shell ls)\nimage:\n\tyq -i '.a.image = 1' $(F)\n", "unknown:3"),
        ("K := $(shell ls)\nimage:\n\tyq -i '.$(K).image = 1' values.yaml\n", "unknown:3"),
        (
            "ifeq ($(X),)\nF := values.yaml\nelse\nF := v.yaml\nendif\nimage:\n\tyq -i '.a.image = 1' $(F)\n",
            "unknown:7",
        ),
        ("image:\nifdef X\n\tyq -i '.a.image = 1' values.yaml\nelse\n\ttrue\nendif\n", "image:3"),
        ("image-%:\n\tyq -i '.$*.image = 1' values.yaml\nimage: image-a\n", "image-a:2"),
        ("image: image-a\nimage-a: image-%:\n\tyq -i '.$*.image = 1' values.yaml\n", "image-a:3"),
        ("define d\ntrue\n@yq -i '$(1) = 1' values.yaml\nendef\nimage:\n\t$(call d,.a.image)\n", "image:6"),
        (".ONESHELL:\nimage:\n\tcd ..\n\tyq -i '.a.image = 1' a/values.yaml\n", "image:4"),
        ("image:\n\tcd ..\n\tyq -i '.a.image = 1' a/values.yaml\n", "none"),
        ("image:\n\tyq -i '.a.image = 1' values.yaml\nimage:\n\ttrue\n", "none"),
        ("image::\n\tyq -i '.a.image = 1' values.yaml\nimage::\n\ttrue\n", "image:2"),
        ("image: a b\na b:\n\tyq -i '.a.image = 1' values.yaml\n", "2"),
        ("image:\n\tsed -i 's|image: .*|image: $(I)|' values.yaml\n", "image:2"),
        ("image:\n\tsed -ie 's|image: .*|x|' values.yaml\n", "image:2"),
        ("image:\n\tsed -e 's|x|y|' -i '' -e '/image/s|:v1@.*|x|' values.yaml\n", "image:2"),
        ("image:\n\tsed 's|image: .*|x|' values.yaml\n", "none"),
        ("image:\n\tsed -i 's|name: .*|x|' values.yaml\n", "none"),
        ("image:\n\tsed -i -f s.sed values.yaml\n", "unknown:2"),
        ("image:\n\tyq '.a.image = 1' values.yaml > v && mv v values.yaml\n", "unknown:2"),
        ("image:\n\tenvsubst < in > values.yaml\n", "unknown:2"),
        ("image:\n\tyq -i 'eval(strenv(E))' values.yaml\n", "unknown:2"),
        ("image:\n\t./stamp.sh\n", "unknown:2"),
        ("image:\n\tbash ../../hack/stamp.sh a\n", "unknown:2"),
        ("image:\n\tpython3 -c 'x'\n", "unknown:2"),
        ("image:\n\tsome-tool values.yaml\n", "unknown:2"),
        ("image:\n\tsome-tool README.md\n", "none"),
        ("image:\n\tsome-tool $(X)\n", "unknown:2"),
        ("image:\n\tsome-tool --out=$(X).yaml\n", "unknown:2"),
        ("image: a b\na:\n\tyq -i '.a.image = 1' values.yaml\nb:\n\tsome-tool $(X)\n", "a:3"),
        ("image: a b\na:\n\tyq -i '.a.image = 1' values.yaml\nb:\n\tsome-tool val$(X)\n", "a:3 perhaps:5"),
        ("image:\n\tsome-tool images/$$V.tag v$(X)\n", "unknown:2"),
        ("image:\n\tsome-tool other/$(X) -v$(X)\n", "none"),
        ("image:\n\techo $(X)\n", "none"),
        ("image:\n\tsed -z -i 's|image: .*|x|' values.yaml\n", "unknown:2"),
        ("image:\n\tsed -zi 's|name: .*|x|' values.yaml\n", "unknown:2"),
        ("image:\n\tsed -i --null-data 's|name: .*|x|' values.yaml\n", "unknown:2"),
        ("image:\n\tsed -iz 's|image: .*|x|' values.yaml\n", "image:2"),
        ("image:\n\tcurl x | tar -xz\n", "unknown:2"),
        ("image:\n\ttar xf x.tar -C ../b\n", "none"),
        ("image:\n\ttar -czf x.tar values.yaml\n", "none"),
        ("image:\n\tyq -i '.a.image = 1' values.yaml\n\tyq -i '.a.image = 1' $(F)\n", "image:2"),
        ("image: a b\na:\n\tyq -i '.a.image = 1' values.yaml\nb:\n\tyq -i '.a.image = 1' $(F)\n", "a:3 perhaps:5"),
        ("image: b\n\tyq -i '.$(K).image = 1' values.yaml\nb:\n\tyq -i '.a.image = 1' values.yaml\n", "b:4 perhaps:2"),
        ("image:\n\tV=$$(yq -i \".a.$$(echo \")\" image) = 1\" values.yaml)\n", "unknown:2"),
        ("image:\n\tV=\"$$(echo \"a)\"; yq -i '.a.image = 1' values.yaml)\"\n", "image:2"),
        ("image:\n\t$(TOOL) x\n", "unknown:2"),
        ("image:\n\t$(if $(X),yq -i '.a.image = 1' values.yaml)\n", "unknown:2"),
        ("image:\n\tbash -c 'yq -i \".a.image = 1\" values.yaml'\n", "image:2"),
        ("image:\n\ttime env X=1 yq -i '.a.image = 1' values.yaml\n", "image:2"),
        ("image:\n\tV=$$(yq -i '.a.image = 1' values.yaml)\n", "image:2"),
        ("image:\n\tfor k in a b; do yq -i \".$$k.image = 1\" values.yaml; done\n", "image:2"),
        ("image:\n\tfor k in $$(ls); do yq -i \".$$k.image = 1\" values.yaml; done\n", "unknown:2"),
        ("image:\n\tif x; then yq -i '.a.image = 1' values.yaml; fi\n", "image:2"),
        ("include common.mk\nimage:\n\ttrue\n", "unknown:1"),
        ("-include common.mk\nimage:\n\ttrue\n", "none"),
        ("include $(X).mk\nimage:\n\ttrue\n", "unknown:1"),
        ("$(eval $(call rules))\nimage:\n\ttrue\n", "unknown:1"),
        ("$(eval F := values.yaml)\nimage:\n\tyq -i '.a.image = 1' $(F)\n", "image:3"),
        (
            "image: image-a image-b\nimage-a image-b:\n\t$(eval T := $(subst image-,,$@))\n\tyq -i '.$(T).image = 1' values.yaml\n",
            "image-a:4",
        ),
        (
            "image: image-a\nimage-a:\n\t$(eval F := $(if $(filter a,$(@:image-%=%)),values.yaml,x.yaml))\n\tyq -i '.a.image = 1' $(F)\n",
            "image-a:4",
        ),
        ("image:\n\t$(eval K := a)\n\t$(eval K := b)\n\tyq -i '.$(K).image = 1' values.yaml\n", "unknown:4"),
        ("image:\n\t$(eval K := $(shell x))\n\tyq -i '.$(K).image = 1' values.yaml\n", "unknown:3"),
        ("image:\n\t$(if ,,yq -i '.a.image = 1' values.yaml)\n", "image:2"),
        ("image:\n\t$(file >images/x.tag,y)\n", "unknown:2"),
        ("T := $(subst $(UNKNOWN)-,,image-other)\nimage:\n\tyq -i '.$(T).image = 1' values.yaml\n", "unknown:3"),
        ("T := $(patsubst $(UNKNOWN)%,%,xb)\nimage:\n\tyq -i '.$(T).image = 1' values.yaml\n", "unknown:3"),
        ("N := b.x\nimage:\n\tyq -i '.$(N:$(UNKNOWN)=).image = 1' values.yaml\n", "unknown:3"),
        ("image:\n\tif x; then F=other.yaml; fi; yq -i '.a.image = 1' $$F\n", "unknown:2"),
        ("image:\n\tif x; then F=values.yaml; fi; yq -i '.a.image = 1' $$F\n", "unknown:2"),
        ("image:\n\tif x; then F=values.yaml; yq -i '.a.image = 1' $$F; fi\n", "image:2"),
        ("image:\n\tsed -i 's|image:|picture:|; s|picture: .*|x|' values.yaml\n", "image:2"),
        ("image:\n\tsed -i 's|\\(i\\)mage:|\\1:|; s|i: .*|x|' values.yaml\n", "unknown:2"),
        ("image:\n\tsort -uo values.yaml x\n", "unknown:2"),
        ("image:\n\tsort x --output=values.yaml\n", "unknown:2"),
        ("image:\n\tsort -t o values.yaml\n", "none"),
        ("image:\n\tsort values.yaml\n", "none"),
        ("image:\n\topenssl enc -in values.yaml -out x\n", "none"),
        ("image:\n\topenssl enc -in x -out values.yaml\n", "unknown:2"),
        ("image:\n\tskopeo copy --digestfile values.yaml a b\n", "unknown:2"),
        ("image:\n\tskopeo copy docker://a dir:b\n", "none"),
        ("image:\n\tdd if=x of=values.yaml\n", "unknown:2"),
        ("image:\n\tdd if=values.yaml of=x\n", "none"),
        ("image:\n\tuniq x values.yaml\n", "unknown:2"),
        ("", "none"),
    ] {
        assert_eq!(verdict(recipe), expected, "{recipe}");
    }
}

#[test]
fn a_place_has_its_column() {
    let Stamped::One { producer, .. } =
        stamped(&tree("N := é\nimage:\n\t@echo \"$(N)é\"; X=1 yq -i '.a.image = 1' values.yaml\n"))
    else {
        panic!()
    };
    let place = producer.place.unwrap();
    assert_eq!((place.file.as_str(), place.line, place.column), ("packages/x/a/Makefile", 3, 17));
    assert_eq!(producer.what, "`.a.image` of packages/x/a/values.yaml, by yq");
}

#[test]
fn without_a_build_list_nothing_applies() {
    let stamped = "image:\n\tyq -i '.a.image = 1' values.yaml\n";
    for (makefile, expected) in [
        (None, "the repository has no Makefile at its root"),
        (Some("all:\n\ttrue\n"), "the root Makefile has no `build:` target"),
    ] {
        let mut tree = MemTree::new("test");
        if let Some(makefile) = makefile {
            tree.put("Makefile", 0o644, makefile);
        }
        tree.put("packages/x/a/Makefile", 0o644, stamped);
        tree.put("packages/x/a/values.yaml", 0o644, format!("a:\n  image: registry.example/org/own/a:v1@{DIGEST}\n"));
        let (found, references) = read(&tree, &bare());
        assert_eq!(found.build_list, BuildList::NotApplicable { reason: expected.into() });
        let stamped = found.of(only(&references.occurrences));
        assert_eq!(stamped, Stamped::NotApplicable { why: expected.into() });
        assert!(found.unlisted.is_empty());
    }
    // What is declared is known all the same.
    let mut tree = MemTree::new("test");
    tree.put("packages/x/a/values.yaml", 0o644, format!("a:\n  image: registry.example/org/own/a:v1@{DIGEST}\n"));
    let entry = "[{file: x/a/values.yaml, by: hack/stamp.sh}]";
    let pipeline = Pipeline { producers: serde_yaml::from_str(entry).unwrap(), ..own() };
    let (found, references) = read(&tree, &pipeline);
    let Stamped::One { producer, .. } = found.of(only(&references.occurrences)) else { panic!() };
    assert_eq!((producer.place, producer.target.as_str(), producer.declared), (None, "hack/stamp.sh", Some(0)));
}

#[test]
fn what_the_list_computes_is_a_doubt_and_not_a_verdict() {
    let mut tree = tree("image:\n\tyq -i '.a.image = 1' values.yaml\n");
    for list in ["build:\n\tmake -C packages/x/$(P) image\n", "build:\n\thack/build.sh\n", "build: $(PACKAGES)\n"] {
        tree.put("Makefile", 0o644, list);
        let (found, _) = read(&tree, &bare());
        let [unlisted] = &found.unlisted[..] else { panic!("{list}: {:?}", found.unlisted) };
        assert!(unlisted.doubt.is_some(), "{list}");
    }
    tree.put("Makefile", 0o644, "include $(X)\n");
    assert!(matches!(read(&tree, &bare()).0.build_list, BuildList::Unknown(_)));
    assert!(matches!(stamped(&tree), Stamped::One { .. }), "what `image` stamps is known all the same");
    tree.put("packages/x/a/Makefile", 0o644, "image:\n");
    assert!(matches!(stamped(&tree), Stamped::Unknown { .. }));
}

#[test]
fn a_list_may_be_spelled_in_many_ways() {
    for list in [
        "build:\n\tmake -C packages/x/a image\n",
        "build:\n\t@+$(MAKE) --directory packages/x/a image PUSH=1 -j 4\n",
        "build:\n\tcd packages/x/a && make image\n",
        "build:\n\t(cd packages/x/a; $(MAKE) -s image)\n",
        "P := packages/x/a packages/x/b\nbuild:\n\tfor p in $(P); do make -C $$p image; done\n",
        "P := a b\nbuild:\n\t$(foreach p,$(P),make -C packages/x/$(p) image;)\n",
        "P := a b\nbuild: $(P:%=build-%)\nbuild-%:\n\tmake -C packages/x/$* image\n",
        "include lists.mk\nbuild: images\n",
        "build:\n\tmake images\nimages:\n\tmake -C packages/x/a image\n",
        "build:\n\tmake -C packages/x all\n",
    ] {
        let mut tree = tree("image:\n\tyq -i '.a.image = 1' values.yaml\n");
        tree.put("Makefile", 0o644, list);
        tree.put("lists.mk", 0o644, "images:\n\tmake -C packages/x/a image\n");
        tree.put("packages/x/Makefile", 0o644, "all:\n\tmake -C a image\n");
        assert_eq!(read(&tree, &bare()).0.unlisted, [], "{list}");
    }
    for list in [
        "build:\n\t# make -C packages/x/a image\n",
        "build:\nother:\n\tmake -C packages/x/a image\n",
        "build:\n\tmake -nC packages/x/b image\n",
    ] {
        let mut tree = tree("image:\n\tyq -i '.a.image = 1' values.yaml\n");
        tree.put("Makefile", 0o644, list);
        assert_eq!(read(&tree, &bare()).0.unlisted.len(), 1, "{list}");
    }
}

/// An entry that names the producer that was read says that there is no other.
#[test]
fn the_table_settles_a_doubt() {
    let tree = tree("image: a b\na:\n\tyq -i '.a.image = 1' values.yaml\nb:\n\tyq -i '.a.image = 1' $(F)\n");
    let entry = "[{file: x/a/values.yaml, by: make -C packages/x/a a}]";
    let pipeline = Pipeline { producers: serde_yaml::from_str(entry).unwrap(), ..own() };
    let (found, references) = read(&tree, &pipeline);
    let Stamped::One { producer, perhaps } = found.of(only(&references.occurrences)) else { panic!() };
    assert_eq!((producer.declared, perhaps), (None, Vec::new()));
    assert_eq!(found.unused, [], "reading alone doesn't know it");
}

/// What make is sent into may write anything of its caller's package, wherever it lies.
#[test]
fn a_makefile_that_cannot_be_read_may_write_anything_of_its_callers() {
    let unread = |tree: &mut MemTree, folder: &str| {
        tree.symlink(format!("{folder}/Makefile"), "elsewhere");
    };
    let noted = |tree: &mut MemTree, folder: &str| {
        tree.put(format!("{folder}/Makefile"), 0o644, "include gone.mk\nother:\n\ttrue\n");
    };
    let script = |tree: &mut MemTree, folder: &str| {
        tree.put(format!("{folder}/Makefile"), 0o644, "stamp: more\nmore:\n\t./stamp.sh\n");
    };
    for (folder, call) in [
        ("packages/x/a/tools", "make -C tools stamp"),
        ("packages/x/a/tools", "make -C tools"),
        ("hack", "make -C ../../../hack stamp"),
        ("packages/x/b", "make -C ../b stamp"),
    ] {
        for (what, put) in [("unread", &unread as &dyn Fn(&mut MemTree, &str)), ("noted", &noted), ("script", &script)]
        {
            let mut tree = tree(&format!("image:\n\t{call}\nidle:\n\ttrue\n"));
            put(&mut tree, folder);
            let found = stamped(&tree);
            let Stamped::Unknown { place, .. } = found else { panic!("{what} {call}: {found:?}") };
            assert!(place.file.starts_with(folder), "{what} {call}: {place}");
        }
    }
    // A nested folder that is a package of its own.
    let mut nested = tree("image:\n\tmake -C tools stamp\n");
    unread(&mut nested, "packages/x/a/tools");
    let mut pipeline = bare();
    pipeline.overlay.packages = serde_yaml::from_str("['**']").unwrap();
    let (found, references) = read(&nested, &pipeline);
    assert!(matches!(found.of(only(&references.occurrences)), Stamped::Unknown { .. }));
    // Nobody runs it: it counts for nobody else.
    let mut apart = tree("image:\n\ttrue\nidle:\n\tmake -C ../b stamp\n");
    unread(&mut apart, "packages/x/b");
    assert!(matches!(stamped(&apart), Stamped::None { .. }));
}

#[test]
fn a_makefile_in_the_list_that_cannot_be_read_is_a_doubt() {
    let mut tree = tree("image:\n\tyq -i '.a.image = 1' values.yaml\n");
    tree.put("Makefile", 0o644, "build:\n\tmake -C packages/x all\n");
    tree.symlink("packages/x/Makefile", "elsewhere");
    let (found, _) = read(&tree, &bare());
    let [unlisted] = &found.unlisted[..] else { panic!("{:?}", found.unlisted) };
    assert_eq!(unlisted.doubt.as_ref().unwrap().place.file, "packages/x/Makefile");
}

/// A copy whose plain source lacks what it holds has the producer that is declared, by its own name or its source's.
#[test]
fn the_table_settles_a_copy_without_its_source() {
    let mut tree = MemTree::new("test");
    tree.put("Makefile", 0o644, "build:\n");
    let copy = "packages/system/provider/files/components.gz";
    tree.put(
        copy,
        0o644,
        gzip(&format!("image: registry.example/org/own/a:v1@{DIGEST}\nb: quay.io/x/y:v1@{DIGEST}\n")),
    );
    let of = |producers: &str| {
        let pipeline = Pipeline { producers: serde_yaml::from_str(producers).unwrap(), ..own() };
        let (found, references) = read(&tree, &pipeline);
        let of = |name: &str| {
            let named = |found: &&Occurrence| found.repository.as_ref().is_some_and(|r| r.to_string().contains(name));
            found.of(references.occurrences.iter().find(named).unwrap())
        };
        (of("org/own/a"), of("quay.io"), found.unused)
    };
    let (unsaid, foreign, _) = of("[]");
    assert!(matches!(unsaid, Stamped::Unknown { .. }), "{unsaid:?}");
    assert!(matches!(foreign, Stamped::NotApplicable { .. }), "{foreign:?}");
    for file in
        ["system/provider/files/components.gz", "system/provider/files/components.yaml", "system/provider/files/*"]
    {
        let (said, _, unused) = of(&format!("[{{file: '{file}', by: hack/provide.sh}}]"));
        let Stamped::One { producer, perhaps } = said else { panic!("{file}: {said:?}") };
        assert_eq!((producer.target.as_str(), perhaps, unused), ("hack/provide.sh", Vec::new(), Vec::new()), "{file}");
    }
    let two = "[{file: system/provider/files/components.gz, by: a.sh}, {file: system/provider/files/components.yaml, by: b.sh}]";
    assert!(matches!(of(two).0, Stamped::Several { .. }));
}

#[test]
fn of_too_many_values_one_may_be_meant() {
    let set = |value: &str| format!("ifdef X\nF := {value}\nendif\n");
    let makefile = format!("{}{}image:\n\tyq -i '.a.image = 1' $(F)\n", set("x.yaml").repeat(9), set("values.yaml"));
    assert!(matches!(stamped(&tree(&makefile)), Stamped::Unknown { .. }));
}

#[test]
fn what_lies_too_deep_is_unknown() {
    let nested = format!(
        "{}yq -i '.a.image = 1' values.yaml{}",
        "V=$$(echo ".repeat(12).replace("V=$$(echo ", "$$("),
        ")".repeat(12)
    );
    assert!(matches!(stamped(&tree(&format!("image:\n\t{nested}\n"))), Stamped::Unknown { .. }));
}

/// One key says what a package is, whatever files of it hold references.
#[test]
fn a_package_is_what_the_pipeline_says() {
    let mut tree = tree("");
    tree.put("Makefile", 0o644, "build:\n");
    for folder in ["x/tags", "deep/x/y"] {
        let stamp = "image:\n\techo registry.example/org/own/a:v1 > images/a.tag\n";
        tree.put(format!("packages/{folder}/Makefile"), 0o644, stamp);
    }
    tree.put("packages/x/tags/images/a.tag", 0o644, "registry.example/org/own/a:v1\n");
    tree.put("packages/deep/x/y/images/a.tag", 0o644, "registry.example/org/own/a:v1\n");
    let mut pipeline = bare();
    pipeline.references.values = vec!["x/a/values.yaml".into()];
    pipeline.references.tag_files = vec!["**/images/*.tag".into()];
    let unlisted = |pipeline: &Pipeline| -> Vec<String> {
        read(&tree, pipeline).0.unlisted.iter().map(|unlisted| unlisted.package.clone()).collect()
    };
    assert_eq!(unlisted(&pipeline), ["packages/x/tags"]);
    pipeline.overlay.packages = serde_yaml::from_str("['*/*/*']").unwrap();
    assert_eq!(unlisted(&pipeline), ["packages/deep/x/y"]);
}
