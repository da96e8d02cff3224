//! MCP: discover, decide, record, call the tool; with rounds of input up to the ceiling.

use serde_json::{Map, Value, json};

use super::{Over, Run, member};
use crate::serve::answer::{self, Answer};
use crate::serve::client::Heard;
use crate::serve::mcp::STATELESS;
use crate::types::{Exchange, Listing, Protocol, Round};

/// A tool to call.
pub(crate) struct McpCall {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) capabilities: Value,
    /// What input requests are answered with; none declines them.
    pub(crate) elicitation: Option<Value>,
}

/// What the rounds of one call came to.
#[derive(Default)]
struct Rounds {
    seen: u32,
    retried: bool,
    echoed: bool,
}

impl McpCall {
    pub(crate) async fn run(self, mut run: Run<'_>) -> Answer {
        match self.call(&mut run).await {
            Ok(answer) | Err(Over(answer)) => answer,
        }
    }

    async fn call(&self, run: &mut Run<'_>) -> Result<Answer, Over> {
        run.early(Protocol::Mcp).await?;
        let listing = self.discover(run).await;
        let exchange = run.read(&run.facts(Protocol::Mcp, listing, None))?;
        let agreed = run.settle(&exchange).await?;
        let mut peer = Peer {
            version: agreed.version.clone(),
            session: None,
        };
        let mut exchange = exchange;
        if agreed.version.as_str() < STATELESS {
            exchange = self.shake_hands(run, &mut peer).await?;
        }
        let mut rounds = Rounds::default();
        let result = self.rounds(run, &exchange, &peer, &mut rounds).await?;
        run.end().await?;
        let answer = json!({
            "negotiatedVersion": peer.version,
            "runId": run.run_id,
            "protocol": "mcp",
            "peerDigest": agreed.peer_digest,
            "result": result,
            "mrtr": {
                "inputRequiredSeen": rounds.seen,
                "retried": rounds.retried,
                "requestStateEchoed": rounds.echoed,
                "rounds": rounds.seen,
                "result": result,
            },
        });
        Ok(answer::json(200, &answer))
    }

    /// What the peer lists. The question goes out under what is asked for if that has no handshake,
    /// else under the newest offered that has none; a version below the floor never goes out.
    async fn discover(&self, run: &Run<'_>) -> Listing {
        let Some(mcp) = run.shared.config.mcp.as_ref() else {
            return Listing::Nothing;
        };
        let asked = run.requested.as_ref().unwrap_or(&mcp.preferred);
        let newest = || mcp.revisions.iter().max();
        let under = Some(asked)
            .filter(|asked| asked.as_str() >= STATELESS)
            .or_else(newest);
        let Some(under) = under.filter(|under| under.as_str() >= STATELESS) else {
            return Listing::Nothing;
        };
        let peer = Peer {
            version: under.clone(),
            session: None,
        };
        let heard = self.post(run, &peer, "server/discover", json!({})).await;
        let Some(heard) = heard else {
            return Listing::Nothing;
        };
        match (member(&heard.text, "result"), member(&heard.text, "error")) {
            (Some(result), _) => Listing::Discover(result),
            (None, Some(error)) => Listing::Error(error),
            (None, None) => Listing::Nothing,
        }
    }

    /// The handshake of the revision that was agreed on; what the peer answers is settled again.
    async fn shake_hands(&self, run: &mut Run<'_>, peer: &mut Peer) -> Result<Exchange, Over> {
        let params = json!({
            "protocolVersion": peer.version,
            "capabilities": self.capabilities,
            "clientInfo": crate::serve::advertise::implementation(&run.shared.config),
        });
        let heard = self.post(run, peer, "initialize", params).await;
        let Some(heard) = heard else {
            return Err(run.failed().await);
        };
        let Some(result) = member(&heard.text, "result") else {
            return Err(run.failed().await);
        };
        let facts = run.facts(
            Protocol::Mcp,
            Listing::Offers(vec![peer.version.clone()]),
            Some(result),
        );
        let exchange = run.read(&facts)?;
        let agreed = run.settle(&exchange).await?;
        peer.version = agreed.version;
        peer.session = heard.session;
        let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let headers = peer.headers(None, None);
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let sent = run
            .shared
            .client
            .post(&run.peer_url, &headers, body.to_string())
            .await;
        // Whether the peer liked it shows when the tool is called.
        drop(sent);
        Ok(exchange)
    }

    async fn rounds(
        &self,
        run: &mut Run<'_>,
        exchange: &Exchange,
        peer: &Peer,
        rounds: &mut Rounds,
    ) -> Result<Value, Over> {
        let most = run
            .shared
            .config
            .mcp
            .as_ref()
            .map_or(1, |mcp| mcp.max_rounds);
        let first = json!({ "name": self.tool, "arguments": self.arguments });
        let mut params = first.clone();
        loop {
            let heard = self.post(run, peer, "tools/call", params).await;
            let heard = heard.and_then(|heard| serde_json::from_str::<Value>(&heard.text).ok());
            let Some(heard) = heard else {
                return Err(run.failed().await);
            };
            let Some(result) = heard.get("result") else {
                return Err(match heard.pointer("/error/code").and_then(Value::as_i64) {
                    Some(-32022) => run.refused_after_all(exchange).await,
                    _ => run.failed().await,
                });
            };
            if result.get("resultType").and_then(Value::as_str) != Some("input_required") {
                return Ok(result.clone());
            }
            rounds.seen = rounds.seen.saturating_add(1);
            let admitted = run
                .shared
                .exchanges
                .negotiator()
                .admit_round(most, rounds.seen);
            if !matches!(admitted, Ok(Round::Continue)) {
                return Err(too_many(run, rounds.seen, most).await);
            }
            params = first.clone();
            if let Some(members) = params.as_object_mut() {
                members.insert("inputResponses".to_owned(), self.responses(result));
                if let Some(state) = result.get("requestState") {
                    members.insert("requestState".to_owned(), state.clone());
                    rounds.echoed = true;
                }
            }
            rounds.retried = true;
        }
    }

    fn responses(&self, result: &Value) -> Value {
        let requests = result.get("inputRequests").and_then(Value::as_object);
        let responses = requests.into_iter().flatten().map(|(name, _)| {
            let response = match &self.elicitation {
                Some(content) => json!({ "action": "accept", "content": content }),
                None => json!({ "action": "decline" }),
            };
            (name.clone(), response)
        });
        Value::Object(responses.collect::<Map<_, _>>())
    }

    async fn post(
        &self,
        run: &Run<'_>,
        peer: &Peer,
        method: &'static str,
        mut params: Value,
    ) -> Option<Heard> {
        let stateless = peer.version.as_str() >= STATELESS;
        if let (true, Some(members)) = (stateless, params.as_object_mut()) {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": peer.version,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                "io.modelcontextprotocol/clientInfo":
                    crate::serve::advertise::implementation(&run.shared.config),
            });
            members.insert("_meta".to_owned(), meta);
        }
        let name = (method == "tools/call").then_some(self.tool.as_str());
        // The first request of a handshake names its version in the body alone.
        let headers = if method == "initialize" {
            vec![]
        } else {
            peer.headers(stateless.then_some(method), name.filter(|_| stateless))
        };
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let body =
            json!({ "jsonrpc": "2.0", "id": super::id(""), "method": method, "params": params });
        let heard = run
            .shared
            .client
            .post(&run.peer_url, &headers, body.to_string())
            .await;
        heard.ok().filter(|heard| heard.status < 500)
    }
}

/// How the peer is spoken to.
struct Peer {
    version: String,
    session: Option<String>,
}

impl Peer {
    fn headers(&self, method: Option<&str>, name: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("mcp-protocol-version", self.version.clone())];
        let mut add = |header, value: Option<&str>| {
            if let Some(value) = value {
                headers.push((header, value.to_owned()));
            }
        };
        add("mcp-method", method);
        add("mcp-name", name);
        add(crate::serve::mcp::SESSION, self.session.as_deref());
        headers
    }
}

async fn too_many(run: &Run<'_>, seen: u32, most: u32) -> Over {
    if let Err(over) = run.end().await {
        return over;
    }
    let details = json!({ "rounds": seen, "maxRounds": most, "runId": run.run_id });
    Over(answer::envelope(
        422,
        "mcp_mrtr_rounds_exceeded",
        "The server asked for input too often",
        details,
    ))
}
