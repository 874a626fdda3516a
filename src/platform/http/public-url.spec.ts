import { describe, expect, it } from 'vitest';
import { place, problemsOf } from '../../../test/config/support.js';
import { Configuration } from '../../config/configuration.js';
import { RuleFacts } from '../../config/check/rule.js';
import { PublicUrlProperties, ServerProperties, serviceUrl, ServletProperties } from './server.properties.js';
import { publicUrlConfigured } from './server.rule.js';

const reading = (url: string, profile = ''): ReturnType<ReturnType<typeof place>['read']> =>
  place({ 'work/application-prod.yml': '' }).read({
    variables: { ...(url && { APP_SECURITY_PUBLIC_URL: url }), ...(profile && { APP_PROFILES_ACTIVE: profile }) },
  });

describe('app.security.public-url', () => {
  it.each(['https://login.example.com', 'https://login.example.com:8443/auth', 'http://127.0.0.1:8080/a/b'])(
    'takes %s',
    (url) => {
      const { problems, instances } = reading(url);

      expect(problems).toEqual([]);
      expect((instances.get(PublicUrlProperties) as PublicUrlProperties).publicUrl).toBe(url);
    },
  );

  it.each([
    'login.example.com',
    'https://login.example.com/',
    'https://login.example.com/auth/',
    'https://Login.Example.com',
    'https://login.example.com:443',
    'https://user@login.example.com',
    'https://login.example.com/a?b',
    'https://login.example.com/#a',
    'ftp://login.example.com',
    'https://',
  ])('refuses %s', (url) => {
    expect(problemsOf(reading(url))).toHaveLength(1);
  });

  it.each([
    ['', 'prod', 1],
    ['http://login.example.com', 'prod', 1],
    ['https://login.example.com', 'prod', 0],
    ['', '', 0],
  ])('the URL %j with profile %j has %i findings', (url, profile, count) => {
    const { environment, registry, instances } = reading(url, profile);
    const inputs = { args: [], variables: {}, workingFolder: '/', packageFolder: '/' };

    expect(
      publicUrlConfigured.check(new RuleFacts(new Configuration(environment, registry, [], instances), inputs)),
    ).toHaveLength(count);
  });
});

describe('the URL of the service', () => {
  const server = Object.assign(new ServerProperties(), { port: 9000 });
  const servlet = Object.assign(new ServletProperties(), { contextPath: '/login' });

  it('is the public URL or, if that is unset, a URL of this machine', () => {
    const publicUrl = 'https://login.example.com/auth';

    expect(serviceUrl(Object.assign(new PublicUrlProperties(), { publicUrl }), server, servlet)).toBe(publicUrl);
    expect(serviceUrl(new PublicUrlProperties(), server, servlet)).toBe('http://localhost:9000/login');
  });
});
