//! What goes out with a request, and where what comes in goes.

use std::path::PathBuf;

use futures_util::stream::try_unfold;
use octocrab::{OctoBody, Octocrab};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::transport::Failure;
use crate::model::{Content, Digest, Hasher};
use crate::port::http::Secret;

/// How much of a file is read at once.
const PIECE: u64 = 256 << 10;

pub(super) enum Body {
    None,
    Json(serde_json::Value),
    /// Bytes of that size; a file's are streamed.
    Content(Content, u64),
}

/// A file that an answer's body goes into, up to a size.
pub(super) struct Sink {
    pub path: PathBuf,
    pub limit: u64,
}

/// What was received.
#[derive(Debug)]
pub(super) struct Stored {
    pub digest: Digest,
    pub size: u64,
}

impl Body {
    /// How many bytes it has.
    pub fn len(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Json(value) => value.to_string().len() as u64,
            Self::Content(_, size) => *size,
        }
    }

    /// octocrab's request: with its API version, and of known length.
    pub async fn build(
        &self,
        crab: &Octocrab,
        builder: http::request::Builder,
    ) -> Result<http::Request<OctoBody>, Failure> {
        let json = match self {
            Self::Json(value) => Some(value),
            _ => None,
        };
        let mut request = crab.build_request(builder, json).map_err(|error| Failure::unsent(error.to_string()))?;
        match self {
            Self::Json(_) => {}
            Self::None => {
                request.headers_mut().remove(CONTENT_LENGTH);
            }
            Self::Content(content, size) => {
                let kind = HeaderValue::from_static("application/octet-stream");
                request.headers_mut().insert(CONTENT_TYPE, kind);
                request.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(*size));
                *request.body_mut() = stream(content, *size).await.map_err(Failure::unsent)?;
            }
        }
        Ok(request)
    }
}

async fn stream(content: &Content, size: u64) -> Result<OctoBody, String> {
    let path = match content {
        Content::Bytes(bytes) if bytes.len() as u64 != size => {
            return Err(format!("it has {} bytes, expected {size}", bytes.len()));
        }
        Content::Bytes(bytes) => return Ok(OctoBody::from(bytes.to_vec())),
        Content::File(path) => path,
    };
    let broken = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = tokio::fs::File::open(&**path).await.map_err(broken)?;
    let found = file.metadata().await.map_err(broken)?.len();
    if found != size {
        return Err(format!("{}: it has {found} bytes, expected {size}", path.display()));
    }
    let pieces = try_unfold(file, |mut file| async move {
        let mut piece = Vec::new();
        (&mut file).take(PIECE).read_to_end(&mut piece).await?;
        Ok::<_, std::io::Error>((!piece.is_empty()).then_some((piece, file)))
    });
    Ok(OctoBody::new(reqwest::Body::wrap_stream(pieces)))
}

impl Sink {
    /// Receives a body from its beginning, whatever an earlier attempt has left.
    pub async fn fill(&self, response: &mut reqwest::Response) -> Result<Stored, Failure> {
        let broken = |error: std::io::Error| Failure::lasting(format!("{}: {error}", self.path.display()));
        let mut file = tokio::fs::File::create(&self.path).await.map_err(broken)?;
        let mut hasher = Hasher::default();
        while let Some(chunk) = response.chunk().await? {
            hasher.update(&chunk);
            if hasher.len() > self.limit {
                return Err(Failure::lasting(format!("it is larger than the {} bytes that were listed", self.limit)));
            }
            file.write_all(&chunk).await.map_err(broken)?;
        }
        file.flush().await.map_err(broken)?;
        Ok(Stored { size: hasher.len(), digest: hasher.finish() })
    }
}

impl Secret {
    /// The value of an `Authorization` header.
    pub(super) fn bearer(&self) -> Result<HeaderValue, String> {
        let value = HeaderValue::from_str(&format!("Bearer {}", self.expose()));
        let mut value = value.map_err(|_| "a token can't be sent in a header".to_owned())?;
        value.set_sensitive(true);
        Ok(value)
    }
}
