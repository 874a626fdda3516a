/**
 * Rooms of src from the lowest to the highest, and in each its folders by rank. A folder imports from lower ranks only,
 * never from a sibling (docs/contributing/map.md). The room without folders is one idea.
 */
const ROOMS = {
  kernel: [['errors', 'clock', 'random', 'encoding', 'collections', 'files', 'redaction'], ['principal']],
  config: [],
  observability: [['health', 'metrics', 'tracing'], ['logging']],
  platform: [
    ['tls', 'sealing', 'branding'],
    ['tasks'],
    ['persistence', 'kvstore', 'outbound', 'http'],
    ['web', 'cache', 'mail'],
    ['rate-limit'],
  ],
  identity: [['events'], ['account', 'session'], ['client'], ['token'], ['second-factor']],
  signin: [['host', 'messages'], ['auth'], ['saml', 'recovery'], ['oidc'], ['forward-auth']],
  management: [],
  apps: [['webhook', 'notices'], ['schema'], ['admin'], ['portal'], ['server'], ['cli']],
};
/** What could serve another product: it imports nothing of this one. */
const RUNTIME = ['kernel', 'config', 'observability', 'platform', 'management'];
const PRODUCT = ['identity', 'signin', 'apps'];

const RANKS = Object.entries(ROOMS).flatMap(([room, ranks]) =>
  ranks.length === 0 ? [[room]] : ranks.map((rank) => rank.map((folder) => `${room}/${folder}`)),
);

const ROLES = [
  ...[
    'module',
    'controller',
    'guard',
    'filter',
    'pipe',
    'decorator',
    'service',
    'store',
    'entity',
    'dto',
    'properties',
  ],
  ...['strategy', 'indicator', 'endpoint', 'listener', 'task', 'command', 'client', 'migration', 'rule', 'mapping'],
];

const oneOf = (names) => `(${names.join('|')})`;
const folders = (ranks) => `^src/${oneOf(ranks.flat())}/`;
const packages = (...names) => `(^|/)node_modules/${oneOf(names)}(/|$)`;

/** The folder of a file: the idea that owns it. */
const FOLDER = '^src/(config|management|[^/]+/[^/]+)/';
const TOP_LEVEL = '^src/[^/]+[.]ts$';
const SPEC = '[.]spec[.]ts$';
const WITH_ROLE = `[.]${oneOf(ROLES)}[.]ts$`;
/** What runs without an import: the programs, and the roles that src/apps/server/discovery.ts imports by their names. */
const STARTING = ['^src/(main|cli)[.]ts$', '[.](properties|rule|mapping)[.]ts$'];
const HTTP_FRAMEWORK = packages('fastify', '@fastify', '@nestjs/platform-fastify');
const ORM = packages('typeorm');

const ranked = RANKS.map((rank, index) => ({
  name: `rank-${index}`,
  comment: `${rank.join(', ')}: imports from ranks below ${index} only. A piece both sides need belongs one rank lower.`,
  severity: 'error',
  from: { path: `^src/${oneOf(rank)}/` },
  to: { path: folders(RANKS.slice(index)), pathNot: '^src/$1/' },
}));

module.exports = {
  forbidden: [
    ...ranked,
    {
      name: 'unknown-folder',
      comment: 'A new folder is a new idea: give it a rank here and a row in docs/contributing/map.md.',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+/', pathNot: [folders(RANKS), '^src/resources/'] },
    },
    {
      name: 'composition-is-the-top',
      comment: 'app.module puts the modules together; only apps/server imports it.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/apps/server/' },
      to: { path: TOP_LEVEL },
    },
    {
      name: 'no-cycle',
      comment: 'A wish for a cycle means a piece belongs one rank lower, or should be told by an event.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'not-used',
      comment: 'Neither the service nor the command line reaches this file',
      severity: 'error',
      from: { path: STARTING },
      to: { path: '^src/', pathNot: [...STARTING, SPEC, '^src/resources/'], reachable: false },
    },
    {
      name: 'store-is-private',
      comment: 'A store is private to its folder: call the service beside it.',
      severity: 'error',
      from: { path: FOLDER },
      to: { path: '^src/.*[.]store[.]ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'edge-calls-service',
      comment: 'Controllers, guards, endpoints, commands and the files that compose call services, not stores.',
      severity: 'error',
      from: { path: ['[.](controller|guard|endpoint|command)[.]ts$', TOP_LEVEL] },
      to: { path: '[.]store[.]ts$' },
    },
    {
      name: 'runtime-knows-no-product',
      comment:
        'The runtime reads registries (Meters, Loggers, HealthComponents, ScheduledTasks, CacheRegistry). What it needs ' +
        'from the product is a port in the runtime that the product provides, such as OperatorCredentials.',
      severity: 'error',
      from: { path: `^src/${oneOf(RUNTIME)}/`, pathNot: SPEC },
      to: { path: `^src/${oneOf(PRODUCT)}/` },
    },
    {
      name: 'http-client-only-in-outbound',
      comment: 'Calls to other services go through OutboundHttp: its limits, proxies and address guard hold for all.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/outbound/' },
      to: { path: packages('undici') },
    },
    {
      name: 'http-framework-only-in-server',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/platform/http/', '^src/platform/web/', SPEC] },
      to: { path: HTTP_FRAMEWORK },
    },
    {
      name: 'identity-knows-no-http',
      comment: 'identity, tasks and persistence work without the HTTP host: pass in what follows from a request.',
      severity: 'error',
      from: { path: '^src/(identity|platform/(tasks|persistence))/', pathNot: SPEC },
      to: { path: '^src/platform/(http|web)/' },
    },
    {
      name: 'http-error-at-the-edges',
      comment: 'A service throws ServiceError with a code and a reason; only HTTP edges decide about the response.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/(platform/(http|web)|apps/portal|signin/auth/(guards|strategies)|management/(access|dispatch))/',
          '[.](controller|guard)[.]ts$',
          SPEC,
        ],
      },
      to: { path: '^src/platform/http/errors/http-error[.]ts$' },
    },
    {
      name: 'orm-only-in-stores',
      comment: 'Stores, entities, migrations and src/platform/persistence know the ORM.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/platform/persistence/', '[.](store|entity|migration)[.]ts$', SPEC] },
      to: { path: ORM },
    },
    {
      name: 'plain-is-plain',
      comment:
        'A file without a role knows no framework and no file with a role (http, web, persistence, schema, server and cli are exempt).',
      severity: 'error',
      from: {
        path: '^src/[^/]+/',
        pathNot: [WITH_ROLE, SPEC, '^src/(platform/(http|web|persistence)|apps/(schema|server|cli))/'],
      },
      to: { path: [WITH_ROLE, packages('@nestjs', 'typeorm', 'fastify', '@fastify')] },
    },
    {
      name: 'no-test-code',
      comment: 'What runs in production imports neither tests, nor tools, nor packages that only development installs.',
      severity: 'error',
      from: { path: '^src/', pathNot: SPEC },
      to: { path: ['^(test|bench|tools)/', SPEC] },
    },
    {
      name: 'no-dev-dependency',
      severity: 'error',
      from: { path: '^src/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev', 'npm-optional'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'declared-dependency',
      comment: 'Every package we import stands in package.json, and every file exists.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
