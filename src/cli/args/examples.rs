//! What `--help` ends with: a line or two that can be typed, for each command.

pub const SEALIFT: &str = "\
Example:
  sealift demo                                              # a whole promotion, offline
  sealift plan v1.6.2-rc.1 --pipeline pipelines/shop.yaml   # what would happen to yours
";

pub const DEMO: &str = "\
Example:
  sealift demo /tmp/demo
  sealift demo /tmp/demo --stop-at-wait                     # the merge is left to you
";

pub const PLAN: &str = "\
Example:
  sealift plan v1.6.2-rc.1 --pipeline pipelines/shop.yaml
";

pub const PREVIEW: &str = "\
Example:
  sealift preview --pull-request 123 --pipeline pipelines/shop.yaml --comment
  sealift preview --tree . --pipeline pipelines/shop.yaml
";

pub const RUN: &str = "\
Example:
  sealift run v1.6.2-rc.1 --pipeline pipelines/shop.yaml
  sealift run v1.6.2-rc.1 --pipeline pipelines/shop.yaml --until pin
";

pub const RESUME: &str = "\
Example:
  sealift resume v1.6.2 --pipeline pipelines/shop.yaml      # after the merge, or after any failure
  sealift resume --pull-request 123 --pipeline pipelines/shop.yaml
";

pub const STATUS: &str = "\
Example:
  sealift status --pipeline pipelines/shop.yaml             # all that is unfinished
";

pub const VERIFY: &str = "\
Example:
  sealift verify v1.6.2 --pipeline pipelines/shop.yaml
";

pub const ABANDON: &str = "\
Example:
  sealift abandon v1.6.2-rc.1 --pipeline pipelines/shop.yaml
";

pub const REFS: &str = "\
Example:
  sealift refs list --pipeline pipelines/shop.yaml
";

pub const LIST: &str = "\
Example:
  sealift refs list --pipeline pipelines/shop.yaml --rc v1.6.2-rc.1
";

pub const CENSUS: &str = "\
Example:
  sealift refs census --pipeline pipelines/shop.yaml --strict
";

pub const LINT: &str = "\
Example:
  sealift lint --pipeline pipelines/shop.yaml
  sealift lint --pipeline pipelines/shop.yaml --registry --sarif lint.sarif
";

pub const EXPLAIN: &str = "\
Example:
  sealift explain packages/core/api/values.yaml:12 --pipeline pipelines/shop.yaml
";

pub const REWRITE: &str = "\
Example:
  sealift rewrite --pipeline pipelines/shop.yaml --tree . --rc v1.6.2-rc.1
";

pub const OVERLAY: &str = "\
Example:
  git diff --no-renames --name-only main >edited.txt
  sealift overlay --pipeline pipelines/shop.yaml --onto . --from ghcr.io/example/shop/packages:main \\
    --built built.json --edited edited.txt
";

pub const ARCHIVE: &str = "\
Example:
  sealift archive --pipeline pipelines/shop.yaml --tree v1.6.2 --output packages.tar.gz
";

pub const CHECK: &str = "\
Example:
  sealift check pipelines/shop.yaml
";

pub const OVERRIDES: &str = "\
Example:
  sealift overrides check values.yaml --key registries.imageOverrides
";

pub const OVERRIDES_CHECK: &str = OVERRIDES;

pub const OVERRIDES_APPLY: &str = "\
Example:
  helm template . | sealift overrides apply --table values.yaml --key registries.imageOverrides
";

pub const SCHEMA: &str = "\
Example:
  sealift schema >.github/sealift.schema.json
  # and as the first line of .github/sealift.yaml:
  # yaml-language-server: $schema=./sealift.schema.json
";

pub const COMPLETIONS: &str = "\
Example:
  sealift completions bash >~/.local/share/bash-completion/completions/sealift
  sealift completions zsh >~/.zfunc/_sealift                # a folder in $fpath
  sealift completions fish >~/.config/fish/completions/sealift.fish
";

pub const MAN: &str = "\
Example:
  sealift man ~/.local/share/man/man1
";
