// Stands behind the example as its journal and its upstream, for the test.

const records = [];

export default {
  async fetch(request) {
    const { hostname, pathname } = new URL(request.url);
    if (pathname === '/records') return Response.json(records);
    if (hostname === 'journal') {
      if (records.length === 3) {
        records.push(null);
        return new Response('full', { status: 507 });
      }
      records.push(JSON.parse(await request.text()));
      return new Response('kept', { status: 201 });
    }
    const body = await request.text();
    const message = body ? JSON.parse(body) : {};
    const result = { protocolVersion: message.params?.protocolVersion, saw: [...request.headers] };
    return Response.json({ jsonrpc: '2.0', id: message.id, result });
  },
};
