//! Retagging: images of an in-process registry that answers late, looked at, tagged, looked at again.

use std::process::{Command, Stdio};
use std::time::Duration;

use sealift::port::registry::Counts;

use super::measure::{Measured, Sample, timed};
use super::peers::installed;
use super::samples;
use super::support::registry_server::RegistryServer;
use super::support::retagging::{Images, PARALLEL, ROUND_TRIPS, registries_at};
use super::table::Table;

/// Images that one skopeo after the other copies: each takes the same, and all would take minutes.
const PEER_IMAGES: usize = 20;

pub fn run(wanted: &dyn Fn(&str) -> bool, table: &mut Table) {
    for count in [100, 1_000] {
        let named = |latency: u64| format!("retag {count} images, {latency} ms");
        let latencies: Vec<u64> = [0, 20, 50].into_iter().filter(|latency| wanted(&named(*latency))).collect();
        if latencies.is_empty() {
            continue;
        }
        let (full, images) = (RegistryServer::start(), Images::apart(count));
        tokio::runtime::Runtime::new().unwrap().block_on(images.push(&full));
        for latency in latencies {
            let delay = Duration::from_millis(latency);
            let fresh = || {
                let server = full.copy();
                server.latency(delay);
                server
            };
            let mut server = fresh();
            let measured = samples(|| {
                server = fresh();
                ["retag".to_owned(), server.url(), count.to_string()].to_vec()
            });
            let trips = count.div_ceil(PARALLEL) * ROUND_TRIPS;
            let least = delay.as_micros() as f64 * trips as f64;
            let ratio = format!("{:.2} × {trips} round trips", measured.median.wall as f64 / least);
            let beside = (latency > 0).then_some(ratio).into_iter().chain([skopeo(&fresh(), images, &measured)]);
            table.row(&named(latency), &measured, &beside.collect::<Vec<_>>());
        }
    }
}

pub fn sample(url: &str, count: usize) -> Sample {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let registries = registries_at(url, None);
    let sample = Sample::of(None, || {
        runtime.block_on(Images::apart(count).retag(&registries));
        by_method(&registries.stats().counts())
    });
    // Sockets are in no count of the kernel's; these are bytes of bodies.
    let Counts { received, sent, .. } = registries.stats().counts();
    Sample { read: received, written: sent, ..sample }
}

fn by_method(counts: &Counts) -> Vec<(String, u64)> {
    let all = [
        ("GET", counts.get),
        ("HEAD", counts.head),
        ("POST", counts.post),
        ("PATCH", counts.patch),
        ("PUT", counts.put),
        ("DELETE", counts.delete),
    ];
    all.into_iter().filter(|(_, count)| *count > 0).map(|(method, count)| (method.to_owned(), count)).collect()
}

/// `skopeo copy --multi-arch all` in a loop, for some of the images: the ratio is per image.
fn skopeo(server: &RegistryServer, images: Images, measured: &Measured) -> String {
    if !installed("skopeo") {
        return "skopeo is not installed".to_owned();
    }
    let copied = images.count.min(PEER_IMAGES);
    let (_, time) = timed(|| {
        for n in 0..copied {
            let at = format!("docker://{}/{}", server.host(), images.repository(n).path());
            let mut command = Command::new("skopeo");
            command.args(["--insecure-policy", "copy", "--quiet", "--multi-arch", "all", "--preserve-digests"]);
            command.args(["--src-tls-verify=false", "--dest-tls-verify=false"]);
            command.arg(format!("{at}@{}", images.digest(n))).arg(format!("{at}:{}", images.stable(n)));
            assert!(command.stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap().success());
        }
    });
    let each = time.as_micros() as f64 / copied as f64;
    let ours = measured.median.wall as f64 / images.count as f64;
    let requests = server.requests().len() / copied;
    format!(
        "{:.3} × `skopeo copy` in a loop, which takes {:.0} ms and {requests} requests an image",
        ours / each,
        each / 1e3
    )
}
