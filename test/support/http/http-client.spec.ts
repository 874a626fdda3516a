import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpClient, setCookie } from './http-client.js';

describe('HTTP client of the tests', () => {
  let server: Server;
  let url = '';
  const ports = new Set<number | undefined>();

  beforeAll(async () => {
    // Sets the cookies of the header x-set, and responds with the request that it received.
    server = createServer((request, response) => {
      ports.add(request.socket.remotePort);
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        const cookies = request.headers['x-set'];
        if (cookies !== undefined) response.setHeader('set-cookie', String(cookies).split('|'));
        response.end(
          JSON.stringify({ ...request.headers, method: request.method, from: request.socket.remoteAddress, body }),
        );
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('the HTTP client sends JSON, forms and bearer tokens and reads members and cookies', async () => {
    const client = new HttpClient(url);

    const json = await client.post('/a', { x: 1 }, { bearer: 't', headers: { 'x-set': 'a=1; Path=/; HttpOnly' } });
    const form = await client.send('POST', '/a', { form: { x: 'a b' } });

    expect(json.body).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer t', body: '{"x":1}' });
    expect(setCookie(json, 'a')).toEqual({ name: 'a', value: '1', attributes: { path: '/', httponly: true } });
    expect(form.body).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      body: 'x=a+b',
      cookie: 'a=1',
    });
  });

  it('the HTTP client keeps each cookie for its path until it is cleared', async () => {
    const client = new HttpClient(url);
    await client.get('/', { headers: { 'x-set': 'root=1; Path=/|deep=2; Path=/token' } });

    const [above, below, beside] = [
      await client.get('/me'),
      await client.get('/token/refresh'),
      await client.get('/tokens'),
    ];
    await client.get('/token', { headers: { 'x-set': 'deep=; Path=/token; Max-Age=0' } });

    expect(above.body['cookie']).toBe('root=1');
    expect(below.body['cookie']).toBe('root=1; deep=2');
    expect(beside.body['cookie']).toBe('root=1');
    expect(client.cookie('deep')).toBeUndefined();
  });

  it('the HTTP client uses its configured address and keeps its sockets open', async () => {
    const client = new HttpClient(url);
    client.address = '127.0.0.9';
    const answer = await client.get('/');
    ports.clear();

    for (let requests = 0; requests < 5; requests += 1) await client.get('/');

    expect(answer.body['from']).toBe('127.0.0.9');
    expect(ports.size).toBe(1);
  });
});
