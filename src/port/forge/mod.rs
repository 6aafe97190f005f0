//! Forges: where a change is proposed and a release is published.
