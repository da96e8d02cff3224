//! An MCP client and server of the crate `rmcp`.
//!
//! ```text
//! rmcp-capture serve <port>
//! rmcp-capture call <url> <legacy|auto|pin>
//! ```

use std::error::Error;
use std::time::Duration;

use rmcp::handler::server::{router::tool::ToolRouter, wrapper::Parameters};
use rmcp::model::{CallToolRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use rmcp::{ServerHandler, schemars, tool, tool_handler, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    text: String,
}

#[derive(Clone)]
struct Echo {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Echo {
    #[tool(description = "echo")]
    fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> String {
        text
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

async fn serve(port: u16) -> Result<(), Box<dyn Error>> {
    let service: StreamableHttpService<Echo, LocalSessionManager> = StreamableHttpService::new(
        || {
            Ok(Echo {
                tool_router: Echo::tool_router(),
            })
        },
        Default::default(),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    Ok(axum::serve(listener, router).await?)
}

async fn call(url: String, mode: &str) -> Result<(), Box<dyn Error>> {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let lifecycle = match mode {
        "legacy" => ClientLifecycleMode::Initialize,
        "auto" => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: None,
        },
        _ => ClientLifecycleMode::Discover { preferred_versions },
    };
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client = ().serve_with_lifecycle(transport, lifecycle).await?;
    client.list_tools(None).await?;
    let arguments = [("text".to_owned(), "hello".into())].into_iter().collect();
    client
        .call_tool(CallToolRequestParams::new("echo").with_arguments(arguments))
        .await?;
    tokio::time::sleep(Duration::from_millis(200)).await; // lets the GET stream open
    client.cancel().await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", port] => serve(port.parse()?).await,
        ["call", url, mode] => call(url.to_owned(), mode).await,
        _ => Err("see the head of src/main.rs".into()),
    }
}
