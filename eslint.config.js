import eslint from '@eslint/js';
import vitest from '@vitest/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const environment = {
  name: 'node:process',
  importNames: ['env'],
  message: 'Only src/config reads the environment: make it a key in a *.properties.ts class.',
};
const randomness = ['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID', 'getRandomValues'];
const cryptography = {
  name: 'node:crypto',
  importNames: [...randomness, 'webcrypto'],
  message: 'Random bytes come from src/kernel/random, so that tests can know them.',
};
const environmentProperty = { object: 'process', property: 'env', message: environment.message };
const clock = [
  { object: 'Date', property: 'now', message: 'Time comes from src/kernel/clock, so that tests can move it.' },
];
const random = [
  { object: 'Math', property: 'random', message: cryptography.message },
  ...randomness.map((property) => ({ object: 'crypto', property, message: cryptography.message })),
];

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name: a default export has another name in every file.',
};
const noPresentDate = {
  selector: ':matches(NewExpression[arguments.length=0], CallExpression)[callee.name="Date"]',
  message: 'Time comes from src/kernel/clock, so that tests can move it.',
};

const noFormatOnLoad = {
  selector: 'Program > VariableDeclaration > VariableDeclarator > NewExpression[callee.object.name="Intl"]',
  message: 'Create it on first use: locale data takes megabytes and milliseconds of every startup.',
};

/** `process.env`, the present time and random bytes, each allowed in one folder; imports follow in dependency-cruiser. */
function sourceRules({ paths, properties, syntax }) {
  return {
    'no-restricted-imports': ['error', { paths }],
    'no-restricted-properties': ['error', ...properties],
    'no-restricted-syntax': ['error', ...syntax],
  };
}

export default defineConfig(
  { ignores: ['**/dist', 'builds/', 'node_modules/', 'data/', 'logs/', 'test/**/fixtures/**/*.js'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',
      // Brackets say that nobody declared the key: a variable of the environment, a column.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A Nest module is a class that only carries its decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // It asks for the `!` that another rule forbids.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // Nest declares the shape of its options as classes and takes plain objects.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    // Every text is a text or a function that returns one.
    files: ['src/signin/messages/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    files: ['src/resources/pages/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: Object.fromEntries(
        ['AbortController', 'DOMParser', 'FormData', 'document', 'fetch', 'navigator', 'performance', 'window'].map(
          (name) => [name, false],
        ),
      ),
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      ...sourceRules({
        paths: [environment, cryptography],
        properties: [environmentProperty, ...clock, ...random],
        syntax: [noDefaultExport, noPresentDate, noFormatOnLoad],
      }),
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/**/*.spec.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Calls to other services go through OutboundHttp, which limits and guards them.' },
      ],
    },
  },
  {
    files: ['src/config/**/*.ts'],
    rules: sourceRules({
      paths: [cryptography],
      properties: [...clock, ...random],
      syntax: [noDefaultExport, noPresentDate, noFormatOnLoad],
    }),
  },
  {
    files: ['src/kernel/clock/**/*.ts'],
    rules: sourceRules({
      paths: [environment, cryptography],
      properties: [environmentProperty, ...random],
      syntax: [noDefaultExport, noFormatOnLoad],
    }),
  },
  {
    files: ['src/kernel/random/**/*.ts'],
    rules: sourceRules({
      paths: [environment],
      properties: [environmentProperty, ...clock],
      syntax: [noDefaultExport, noPresentDate, noFormatOnLoad],
    }),
  },
  {
    // The ORM fills the columns; nothing in the class does.
    files: ['src/**/*.entity.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/*-spec.ts', 'test/**/*.fixture.ts'],
    plugins: { vitest },
    rules: {
      ...vitest.configs.recommended.rules,
      'vitest/consistent-test-it': ['error', { fn: 'it', withinDescribe: 'it' }],
      'vitest/no-disabled-tests': 'error',
      'vitest/no-focused-tests': 'error',
      'vitest/prefer-hooks-on-top': 'error',
      // The second argument names the case in a failure.
      'vitest/valid-expect': ['error', { maxArgs: 2 }],
      // A class of keys needs no decorator where a test reads it without binding.
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  {
    files: ['src/**/*.spec.ts', 'test/**/*.ts'],
    ignores: ['test/support/runner/seeded-fast-check.ts'],
    rules: {
      // Under this name beside the rules for `src` above, which it would replace under the other.
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'fast-check',
              importNames: ['default', 'fc', 'assert'],
              message: 'Import fc from test/support/runner/property, whose seed is fixed.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['URL', 'clearTimeout', 'console', 'fetch', 'performance', 'process', 'setTimeout'].map((name) => [
          name,
          false,
        ]),
      ),
    },
  },
  {
    files: ['examples/spa/*.js'],
    languageOptions: {
      globals: Object.fromEntries(['URLSearchParams', 'document', 'history', 'location'].map((name) => [name, false])),
    },
  },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs' } },
  prettier,
);
