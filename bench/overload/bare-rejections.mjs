// A program on Node's HTTP server alone that answers every request with 503 after a second, while other threads hash passwords
// with a lower priority, as in the service: the least that a rejection of Node costs.
import { createServer } from 'node:http';
import { setPriority } from 'node:os';
import { isMainThread, Worker } from 'node:worker_threads';
import { verifySync } from '@node-rs/argon2';
import { PASSWORD } from '../load/population.mjs';

const DELAY_MILLIS = 1000;
const LOW_PRIORITY = 10;
const [, , hash, workers] = process.argv;

if (!isMainThread) {
  setPriority(0, LOW_PRIORITY);
  for (;;) verifySync(hash, PASSWORD);
}

const body = JSON.stringify({
  type: 'urn:login:error:unavailable',
  title: 'Service Unavailable',
  status: 503,
  instance: '/login',
  code: 'UNAVAILABLE',
  request_id: '01893b1e-6f80-7000-8000-000000000001',
});
for (let count = 0; count < Number(workers); count += 1) new Worker(new URL(import.meta.url), { argv: [hash] });
createServer((request, response) => {
  request.resume();
  setTimeout(() => {
    response.writeHead(503, {
      'content-type': 'application/problem+json',
      'content-length': body.length,
      'retry-after': '1',
    });
    response.end(body);
  }, DELAY_MILLIS);
}).listen(0, '127.0.0.1', function listening() {
  console.log(`ready: http://127.0.0.1:${this.address().port}/`);
});
