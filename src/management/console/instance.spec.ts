import { describe, expect, it } from 'vitest';
import { baseUrl } from './console.properties.js';
import { describeInstance } from './instance.js';
import { ConversionProblem } from '../../config/problem.js';

const STARTED_AT = Date.UTC(2031, 4, 4, 10);
const LISTENERS = {
  management: 'http://10.0.0.7:9090/actuator',
  service: 'http://10.0.0.7:8080/login-api',
  healthSegment: 'health',
};

it('an instance without settings has the URLs of the listeners', () => {
  expect(describeInstance({ name: 'login-service', metadata: new Map() }, LISTENERS, STARTED_AT)).toEqual({
    name: 'login-service',
    managementUrl: 'http://10.0.0.7:9090/actuator',
    healthUrl: 'http://10.0.0.7:9090/actuator/health',
    serviceUrl: 'http://10.0.0.7:8080/login-api',
    metadata: { startup: '2031-05-04T10:00:00.000Z' },
  });
});

it('the health URL of an instance is below its configured management URL', () => {
  const settings = { name: 'a', managementUrl: 'https://ops.example/login', metadata: new Map() };

  expect(describeInstance(settings, LISTENERS, STARTED_AT).healthUrl).toBe('https://ops.example/login/health');
});

it('the health URL of an instance follows the path mapping', () => {
  const instance = describeInstance(
    { name: 'a', metadata: new Map() },
    { ...LISTENERS, healthSegment: 'healthcheck' },
    STARTED_AT,
  );

  expect(instance.healthUrl).toBe('http://10.0.0.7:9090/actuator/healthcheck');
});

it('configured values of an instance are sent unchanged', () => {
  const settings = {
    name: 'login-a',
    managementUrl: 'https://ops.example/m',
    healthUrl: 'https://ops.example/h',
    serviceUrl: 'https://login.example',
    metadata: new Map([['user.name', 'ops']]),
  };

  expect(describeInstance(settings, { ...LISTENERS, service: undefined }, STARTED_AT)).toEqual({
    ...settings,
    metadata: { startup: '2031-05-04T10:00:00.000Z', 'user.name': 'ops' },
  });
});

it('an instance without a main listener has no service URL', () => {
  const instance = describeInstance(
    { name: 'a', metadata: new Map() },
    { ...LISTENERS, service: undefined },
    STARTED_AT,
  );

  expect(instance).not.toHaveProperty('serviceUrl');
});

describe('the URL of a console', () => {
  it.each([
    ['https://console.example.com', 'https://console.example.com'],
    [' http://10.0.0.9:8081/admin/ ', 'http://10.0.0.9:8081/admin'],
    ['http://[2001:db8::9]:8081', 'http://[2001:db8::9]:8081'],
  ])('%s is read as %s', (text, expected) => {
    expect(baseUrl.parse(text)).toBe(expected);
  });

  it.each([
    'console.example.com',
    'ftp://console.example.com',
    'https://login:open-sesame@console.example.com',
    'https://console.example.com/?a=b',
    'https://console.example.com/#a',
    'http://console.example.com:99999',
    '',
  ])('is rejected: %s', (text) => {
    expect(baseUrl.parse(text)).toBeInstanceOf(ConversionProblem);
  });
});
