import { createApi } from './api.js';

const {
  ISSUER = 'http://localhost:8080',
  AUDIENCE = 'example-api',
  ORIGIN = 'http://localhost:3000',
  PORT = '3001',
} = process.env;

const api = await createApi({ issuer: ISSUER, audience: AUDIENCE, origin: ORIGIN });
await api.listen(PORT, '127.0.0.1');
