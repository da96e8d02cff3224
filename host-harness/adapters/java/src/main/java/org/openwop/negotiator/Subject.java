package org.openwop.negotiator;

/**
 * Who owns a record. It comes from the credential alone, never from the request.
 *
 * @param tenant {@code ^(anon:)?[A-Za-z0-9._~-]{1,128}$}
 * @param workspace {@code ^[A-Za-z0-9._~-]{1,128}$}, or null if the credential is bound to none
 */
public record Subject(String tenant, String workspace) {}
