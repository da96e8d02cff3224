/** A negotiator in front of servlets that speak MCP or A2A. */
package org.openwop.negotiator.servlet;
