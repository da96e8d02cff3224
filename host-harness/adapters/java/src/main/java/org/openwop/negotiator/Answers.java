package org.openwop.negotiator;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Reads what the component answers. */
final class Answers {
  private Answers() {}

  /** The text of an answer; throws what an error answer says. */
  static String ok(Abi.Answer answer) {
    if (answer.ok()) {
      return answer.text();
    }
    var error = members(members(answer.text()).get("error"));
    if ("\"invalid-facets\"".equals(error.get("code"))) {
      throw new FacetsException(Json.list(error.get("faults"), Fault.class));
    }
    throw new RequestException(Json.string(error.get("path")), Json.string(error.get("problem")));
  }

  static Map<String, String> members(String text) {
    try {
      var members = Json.members(text);
      if (members != null) {
        return members;
      }
    } catch (IOException e) {
      throw new ComponentException("the component gave an answer that cannot be read", e);
    }
    throw new ComponentException("the component gave an answer that is no object", null);
  }

  static Settlement settlement(String text) {
    var answer = members(text);
    return new Settlement(decision(answer), entry(answer), reply(answer));
  }

  private static Decision decision(Map<String, String> answer) {
    if (!answer.containsKey("outcome")) {
      return null;
    }
    return new Decision(
        "\"accepted\"".equals(answer.get("outcome")),
        Json.string(answer.get("version")),
        Json.string(answer.get("reason")),
        Json.string(answer.get("cause")),
        Json.string(answer.get("requested")),
        "true".equals(answer.get("downgraded")));
  }

  private static Entry entry(Map<String, String> answer) {
    if (!answer.containsKey("entry")) {
      return null;
    }
    var entry = members(answer.get("entry"));
    Subject audience = null;
    if (some(entry.get("audience")) != null) {
      var owner = members(entry.get("audience"));
      audience = new Subject(Json.string(owner.get("tenant")), Json.string(owner.get("workspace")));
    }
    return new Entry(
        Json.string(entry.get("home")), audience, answer.get("record"), some(entry.get("event")));
  }

  private static Reply reply(Map<String, String> answer) {
    if (!answer.containsKey("answer")) {
      return null;
    }
    var reply = members(answer.get("answer"));
    List<Header> headers =
        Json.list(reply.get("headers"), String[].class).stream()
            .map(pair -> new Header(pair[0], pair[1]))
            .toList();
    return new Reply(
        Integer.parseInt(reply.get("status")),
        headers,
        some(reply.get("error")),
        some(reply.get("envelope")));
  }

  private static String some(String text) {
    return "null".equals(text) ? null : text;
  }
}
