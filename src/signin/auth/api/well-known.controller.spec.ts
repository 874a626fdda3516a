import { describe, expect, it } from 'vitest';
import { serverMetadata } from './well-known.controller.js';

describe('the authorization server metadata', () => {
  it('has the members that RFC 8414 section 2 requires', () => {
    expect(serverMetadata('https://login.example.com/auth', ['urn:a'])).toEqual({
      issuer: 'https://login.example.com/auth',
      jwks_uri: 'https://login.example.com/auth/.well-known/jwks.json',
      introspection_endpoint: 'https://login.example.com/auth/token/introspect',
      introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
      response_types_supported: [],
      grant_types_supported: [],
      acr_values_supported: ['urn:a'],
    });
  });
});
