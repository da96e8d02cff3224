package org.openwop.negotiator;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The little JSON that is needed: raw texts in, exact texts out. */
public final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonFactory FACTORY = MAPPER.getFactory();

  private Json() {}

  /** JSON text of a string, list or number. */
  public static String text(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("no JSON value", e);
    }
  }

  /** The string that a JSON text is; null for null, for no text, and for any other value. */
  public static String string(String text) {
    try {
      return text != null && text.startsWith("\"") ? MAPPER.readValue(text, String.class) : null;
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  /** The text itself, if it is exactly one JSON value: nothing can be smuggled in beside it. */
  static String value(String path, String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        throw new RequestException(path, "must be JSON");
      }
      skip(parser);
      if (parser.nextToken() != null) {
        throw new RequestException(path, "must be one JSON value");
      }
      return text;
    } catch (IOException e) {
      throw new RequestException(path, "must be JSON");
    }
  }

  /**
   * The members of a JSON object with the exact text of each, in their order; null for any other
   * value.
   *
   * @throws IOException the text is no JSON, or a member stands in it twice
   */
  public static Map<String, String> members(String text) throws IOException {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        skip(parser);
        end(parser);
        return null;
      }
      var members = new LinkedHashMap<String, String>();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        var name = parser.currentName();
        parser.nextToken();
        members.merge(name, slice(text, parser), Json::twice);
      }
      end(parser);
      return members;
    } catch (DuplicateMember e) {
      throw new IOException("a member stands twice", e);
    }
  }

  private static void end(JsonParser parser) throws IOException {
    if (parser.nextToken() != null) {
      throw new IOException("more than one value");
    }
  }

  /** The text of the value that the parser is at. */
  private static String slice(String text, JsonParser parser) throws IOException {
    int start = (int) parser.currentTokenLocation().getCharOffset();
    skip(parser);
    return text.substring(start, (int) parser.currentLocation().getCharOffset());
  }

  private static void skip(JsonParser parser) throws IOException {
    parser.skipChildren();
    parser.finishToken(); // a long string or number is read lazily
  }

  private static final class DuplicateMember extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static String twice(String first, String second) {
    throw new DuplicateMember();
  }

  /** The elements of a JSON array of arrays or objects, each read by the mapper. */
  static <T> List<T> list(String text, Class<T> type) {
    try {
      var kind = MAPPER.getTypeFactory().constructCollectionType(ArrayList.class, type);
      return MAPPER.readValue(text, kind);
    } catch (JsonProcessingException e) {
      throw new ComponentException("the component gave an answer that cannot be read", e);
    }
  }

  /** Writes an object, member by member; null values are left out. */
  public static final class Writer {
    private final StringBuilder text = new StringBuilder("{");

    /** A member that is JSON text already. */
    public Writer raw(String name, String json) {
      if (json != null) {
        if (text.length() > 1) {
          text.append(',');
        }
        text.append(Json.text(name)).append(':').append(json);
      }
      return this;
    }

    /** A member that is JSON text which came from elsewhere. */
    Writer foreign(String path, String name, String json) {
      return json == null ? this : raw(name, value(path + "." + name, json));
    }

    /** A string. */
    public Writer string(String name, String value) {
      return value == null ? this : raw(name, Json.text(value));
    }

    /** The object. */
    public String text() {
      return text + "}";
    }
  }
}
