//! Lua 5.4, by mlua.

use mlua::{Function, Table};

use super::{Peer, posture};

pub struct Lua {
    lua: mlua::Lua,
    rule: Function,
}

const RULE: &str = "
local offered, floor, preferred = ...
return function(asked)
    local rank = offered[asked.named]
    return rank ~= nil and rank >= floor and (asked.authenticated or rank >= preferred)
end";

impl Peer for Lua {
    const NAME: &'static str = "Lua 5.4 (mlua 0.12)";
    type Asked = Table;

    fn new() -> Self {
        let lua = mlua::Lua::new();
        let (offered, floor, preferred) = posture();
        let offered = lua.create_table_from(offered).unwrap();
        let rule = lua.load(RULE).call((offered, floor, preferred)).unwrap();
        Self { lua, rule }
    }

    fn asked(&self, named: &str, authenticated: bool) -> Table {
        let asked = self.lua.create_table().unwrap();
        asked.set("named", named).unwrap();
        asked.set("authenticated", authenticated).unwrap();
        asked
    }

    fn decide(&mut self, asked: &Table) -> bool {
        self.rule.call(asked).unwrap()
    }
}
