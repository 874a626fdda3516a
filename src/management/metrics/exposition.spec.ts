import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { Meters } from '../../observability/metrics/meters.js';
import { exposition } from './exposition.js';

function text(meters: Meters, ...names: readonly string[]): readonly string[] {
  return exposition(meters.families, 'text', new Set(names)).split('\n').slice(0, -1);
}

function openMetrics(meters: Meters): readonly string[] {
  return exposition(meters.families, 'openmetrics').split('\n').slice(0, -1);
}

function everyKind(): Meters {
  const meters = new Meters(new ManualClock());
  meters.counter('cache.gets', { description: 'Look-ups' }).of({ name: 'users', result: 'hit' }).increment(3);
  meters.gauge('disk.free', { description: 'Free space', baseUnit: 'bytes' }, () => 7e9, { path: '/srv' });
  meters.timer('http.server.requests', { description: 'Time to serve a request' }).of({ uri: '/login' }).record(0.5);
  meters.summary('body.size', { description: 'Bodies', baseUnit: 'bytes' }).of().record(12);
  meters.longTaskTimer('uploads.active', { description: 'Uploads' }).of().start();
  return meters;
}

it('M2: the exposition writes every kind of meter in the text format', () => {
  expect(text(everyKind())).toEqual([
    '# HELP cache_gets_total Look-ups',
    '# TYPE cache_gets_total counter',
    'cache_gets_total{name="users",result="hit"} 3',
    '# HELP disk_free_bytes Free space',
    '# TYPE disk_free_bytes gauge',
    'disk_free_bytes{path="/srv"} 7000000000',
    '# HELP http_server_requests_seconds Time to serve a request',
    '# TYPE http_server_requests_seconds summary',
    'http_server_requests_seconds_count{uri="/login"} 1',
    'http_server_requests_seconds_sum{uri="/login"} 0.5',
    '# HELP http_server_requests_seconds_max Time to serve a request',
    '# TYPE http_server_requests_seconds_max gauge',
    'http_server_requests_seconds_max{uri="/login"} 0.5',
    '# HELP body_size_bytes Bodies',
    '# TYPE body_size_bytes summary',
    'body_size_bytes_count 1',
    'body_size_bytes_sum 12',
    '# HELP body_size_bytes_max Bodies',
    '# TYPE body_size_bytes_max gauge',
    'body_size_bytes_max 12',
    '# HELP uploads_active_seconds Uploads',
    '# TYPE uploads_active_seconds summary',
    'uploads_active_seconds_count 1',
    'uploads_active_seconds_sum 0',
    '# HELP uploads_active_seconds_max Uploads',
    '# TYPE uploads_active_seconds_max gauge',
    'uploads_active_seconds_max 0',
  ]);
});

it('the exposition writes counters, unknown types and the end in OpenMetrics', () => {
  const lines = openMetrics(everyKind());
  expect(lines.slice(0, 3)).toEqual([
    '# HELP cache_gets Look-ups',
    '# TYPE cache_gets counter',
    'cache_gets_total{name="users",result="hit"} 3',
  ]);
  const gauge = new Meters();
  gauge.gauge('system.cpu.count', {}, () => 2);
  expect(openMetrics(gauge)).toContain('# TYPE system_cpu_count unknown');
  expect(lines.at(-1)).toBe('# EOF');
  expect(lines.filter((line) => line === '# EOF')).toHaveLength(1);
});

it('the exposition without meters contains only the end', () => {
  expect(exposition([], 'text')).toBe('');
  expect(exposition([], 'openmetrics')).toBe('# EOF\n');
});

describe('the name of an exposed metric', () => {
  it.each([
    { name: 'process.start.time', unit: 'seconds', shown: 'process_start_time_seconds' },
    { name: 'already.seconds', unit: 'seconds', shown: 'already_seconds' },
    { name: 'a-b c/ü', unit: undefined, shown: 'a_b_c__' },
    { name: '2fa.open', unit: undefined, shown: '_2fa_open' },
  ])('$name in $unit is $shown', ({ name, unit, shown }) => {
    const meters = new Meters();
    meters.gauge(name, unit === undefined ? {} : { baseUnit: unit }, () => 1);
    expect(text(meters).at(-1)).toBe(`${shown} 1`);
  });

  it('ends in _total once for a counter', () => {
    const meters = new Meters();
    meters.counter('logins.total').of().increment();
    expect(text(meters).at(-1)).toBe('logins_total 1');
    expect(openMetrics(meters)).toContain('# TYPE logins counter');
  });

  it.each(['system.cpu.count', 'x.sum', 'x.bucket', 'x.total'])('the name of the gauge %s has no type', (name) => {
    const meters = new Meters();
    meters.gauge(name, {}, () => 2);
    expect(text(meters)[1]).toBe(`# TYPE ${name.replaceAll('.', '_')} untyped`);
    expect(openMetrics(meters)[1]).toBe(`# TYPE ${name.replaceAll('.', '_')} unknown`);
  });

  it('is written only for the first of two families with the same name', () => {
    const meters = new Meters();
    meters.gauge('a.b', {}, () => 1);
    meters.gauge('a-b', {}, () => 2);
    meters.timer('work').of().record(1);
    meters.gauge('work.seconds.count', {}, () => 3);
    meters.counter('tries').of().increment();
    meters.gauge('tries.total', {}, () => 4);
    const samples = text(meters).filter((line) => !line.startsWith('#'));
    expect(samples).toEqual([
      'a_b 1',
      'work_seconds_count 1',
      'work_seconds_sum 1',
      'work_seconds_max 1',
      'tries_total 1',
    ]);
  });

  it('is the help text of a family without description', () => {
    const meters = new Meters();
    meters.counter('login.lockouts').of();
    expect(text(meters)[0]).toBe('# HELP login_lockouts_total login.lockouts');
  });

  it('is omitted for a family without series', () => {
    const meters = new Meters();
    meters.counter('login.lockouts');
    expect(text(meters)).toEqual([]);
  });
});

describe('a label of an exposed metric', () => {
  function labels(tags: Readonly<Record<string, string>>): string | undefined {
    const meters = new Meters();
    meters.gauge('x', {}, () => 1, tags);
    return text(meters).at(-1);
  }

  it('has a name of letters, digits and _', () => {
    expect(labels({ 'cache.manager': 'a', '2nd': 'b' })).toBe('x{_2nd="b",cache_manager="a"} 1');
  });

  it('is sorted by name', () => {
    expect(labels({ uri: '/', method: 'GET', status: '200' })).toBe('x{method="GET",status="200",uri="/"} 1');
  });

  it('is written once if two tags have the same name', () => {
    expect(labels({ 'a.b': '1', 'a-b': '2' })).toBe('x{a_b="1"} 1');
  });

  it('escapes quotes and line breaks', () => {
    expect(labels({ v: 'a"b\\c\nd\u0000' })).toBe('x{v="a\\"b\\\\c\\nd\ufffd"} 1');
  });
});

describe('the description of an exposed metric', () => {
  it('escapes line breaks, and quotes as its format requires', () => {
    const meters = new Meters();
    meters.gauge('x', { description: 'a "b"\n# \\' }, () => 1);
    expect(text(meters)[0]).toBe('# HELP x a "b"\\n# \\\\');
    expect(openMetrics(meters)[0]).toBe('# HELP x a \\"b\\"\\n# \\\\');
  });
});

it.each([
  [NaN, 'NaN'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [-0.5, '-0.5'],
  [1e21, '1e+21'],
])('the exposition writes %d as %s', (value, written) => {
  const meters = new Meters();
  meters.gauge('x', {}, () => value);
  expect(text(meters).at(-1)).toBe(`x ${written}`);
});

describe('an exposed family with buckets', () => {
  it('is a histogram', () => {
    const meters = new Meters();
    const timer = meters.timer('login.hash.time', { buckets: [0.05, 0.5, 1] }).of();
    for (const seconds of [0.02, 0.1, 3]) timer.record(seconds);
    expect(text(meters).slice(1, 7)).toEqual([
      '# TYPE login_hash_time_seconds histogram',
      'login_hash_time_seconds_bucket{le="0.05"} 1',
      'login_hash_time_seconds_bucket{le="0.5"} 2',
      'login_hash_time_seconds_bucket{le="1.0"} 2',
      'login_hash_time_seconds_bucket{le="+Inf"} 3',
      'login_hash_time_seconds_count 3',
    ]);
    expect(openMetrics(meters)).toContain('login_hash_time_seconds_count 3');
  });

  function offsets(): Meters {
    const meters = new Meters();
    const offset = meters.summary('login.mfa.step.offset', { buckets: [-1, 0, 1] }).of();
    for (const steps of [-1, -1, 0, 1]) offset.record(steps);
    return meters;
  }

  it('counts negative numbers, and has a sum in the text format', () => {
    expect(text(offsets()).filter((line) => !line.startsWith('#'))).toEqual([
      'login_mfa_step_offset_bucket{le="-1.0"} 2',
      'login_mfa_step_offset_bucket{le="0.0"} 3',
      'login_mfa_step_offset_bucket{le="1.0"} 4',
      'login_mfa_step_offset_bucket{le="+Inf"} 4',
      'login_mfa_step_offset_count 4',
      'login_mfa_step_offset_sum -1',
      'login_mfa_step_offset_max 1',
    ]);
  });

  it('has neither sum nor count in OpenMetrics if a bucket is negative', () => {
    const samples = openMetrics(offsets()).filter((line) => !line.startsWith('#'));
    expect(samples.slice(3)).toEqual(['login_mfa_step_offset_bucket{le="+Inf"} 4', 'login_mfa_step_offset_max 1']);
  });

  it('omits a negative sum in OpenMetrics for a family without buckets', () => {
    const meters = new Meters();
    meters.summary('x').of().record(-1);
    expect(openMetrics(meters)).toContain('x_count 1');
    expect(openMetrics(meters)).not.toContain('x_sum -1');
    expect(text(meters)).toContain('x_sum -1');
  });
});

describe('requested names of exposed metrics', () => {
  it.each([
    { name: 'http_server_requests_seconds', families: ['http_server_requests_seconds'] },
    { name: 'http_server_requests_seconds_max', families: ['http_server_requests_seconds_max'] },
    { name: 'cache_gets_total', families: ['cache_gets_total'] },
    { name: 'cache_gets', families: ['cache_gets_total'] },
    { name: 'http_server_requests_seconds_count', families: [] },
    { name: 'http.server.requests', families: [] },
    { name: 'nobody', families: [] },
  ])('$name selects $families', ({ name, families }) => {
    const types = text(everyKind(), name).filter((line) => line.startsWith('# TYPE '));
    expect(types.map((line) => line.split(' ')[2])).toEqual(families);
  });

  it('may be several', () => {
    expect(text(everyKind(), 'disk_free_bytes', 'cache_gets')).toHaveLength(6);
  });
});
