//! Exports `wire`.

use alloc::vec::Vec;

use negotiation_core::wire::{
    HttpMethod, Inbound, Listing, Outbound, Params, read_inbound, read_outbound, readable,
};

use crate::Component;
use crate::bindings::exports::openwop::negotiation::{types, wire as wit};
use crate::convert;

impl wit::Guest for Component {
    fn read_inbound(message: wit::Inbound) -> types::Exchange {
        let params = message.params.as_deref().map(readable);
        let headers: Vec<_> = message
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let exchange = read_inbound(&Inbound {
            protocol: convert::protocol(message.protocol),
            authenticated: message.authenticated,
            http_method: match message.http_method {
                wit::HttpMethod::Post => HttpMethod::Post,
                wit::HttpMethod::Get => HttpMethod::Get,
                wit::HttpMethod::Delete => HttpMethod::Delete,
            },
            headers: &headers,
            query: message.query.as_deref(),
            method: message.method.as_deref(),
            params: match &params {
                None => Params::Absent,
                Some(None) => Params::Unreadable,
                Some(Some(value)) => Params::Value(value),
            },
            session: message.session.as_deref(),
        });
        convert::wit_exchange(&exchange, message.session.as_deref())
    }

    fn read_outbound(message: wit::Outbound) -> types::Exchange {
        let initialize = message.initialize.as_deref().map(readable);
        let foreign = match &message.listing {
            wit::Listing::Card(text) | wit::Listing::Discover(text) | wit::Listing::Error(text) => {
                readable(text)
            }
            wit::Listing::Nothing | wit::Listing::Offers(_) => None,
        };
        let offers: Vec<_> = match &message.listing {
            wit::Listing::Offers(offers) => offers.iter().map(|text| text.as_str()).collect(),
            _ => Vec::new(),
        };
        let listing = match (&message.listing, &foreign) {
            (wit::Listing::Card(_), Some(card)) => Listing::Card(card),
            (wit::Listing::Discover(_), Some(result)) => Listing::Discover(result),
            (wit::Listing::Error(_), Some(error)) => Listing::Error(error),
            (wit::Listing::Offers(_), _) => Listing::Offers(&offers),
            _ => Listing::Nothing,
        };
        let exchange = read_outbound(&Outbound {
            protocol: convert::protocol(message.protocol),
            authenticated: message.authenticated,
            requested: message.requested.as_deref(),
            listing,
            initialize: initialize.as_ref().map(Option::as_ref),
        });
        convert::wit_exchange(&exchange, None)
    }
}
