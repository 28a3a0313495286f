import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineConfig } from './define-config.ts';
import { describeConfig } from './describe-config.ts';
import { duration, secret } from './setting-types.ts';

const definition = defineConfig({
  'poll-period': duration().prefault('5s').meta({ description: 'How often to look.', reloadable: true }),
  mode: z.enum(['a', 'b']).default('a').describe('This | that.'),
  tls: z.object({ 'key-file': z.string().describe('The key.'), ports: z.array(z.int()).default([1]).describe('Ports.') }),
  token: secret().optional().describe('Who we are.'),
});

describe('describeConfig', () => {
  it('makes a table of all settings', () => {
    expect(describeConfig(definition).markdown).toBe(
      [
        '| key            | type            | default    | environment                  | flag             | reload      | what it does       |',
        '| -------------- | --------------- | ---------- | ---------------------------- | ---------------- | ----------- | ------------------ |',
        '| `poll-period`  | duration        | `5s`       | `QUARTERMASTER_POLL_PERIOD`  | `--poll-period`  | at run time | How often to look. |',
        '| `mode`         | `a`, `b`        | `a`        | `QUARTERMASTER_MODE`         | `--mode`         | restart     | This \\| that.      |',
        '| `tls.key-file` | text            | _required_ | `QUARTERMASTER_TLS_KEY_FILE` | `--tls-key-file` | restart     | The key.           |',
        '| `tls.ports`    | list of integer | `[1]`      | `QUARTERMASTER_TLS_PORTS`    | `--tls-ports`    | restart     | Ports.             |',
        '| `token`        | secret          |            | `QUARTERMASTER_TOKEN`        | `--token`        | restart     | Who we are.        |',
        '',
      ].join('\n'),
    );
  });

  it('makes a JSON Schema of the file', () => {
    expect(describeConfig(definition).jsonSchema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      properties: {
        'poll-period': { type: 'string', default: '5s', description: 'How often to look.' },
        mode: { type: 'string', enum: ['a', 'b'], default: 'a', description: 'This | that.' },
        tls: {
          type: 'object',
          additionalProperties: false,
          properties: {
            'key-file': { type: 'string', description: 'The key.' },
            ports: {
              type: 'array',
              items: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
              default: [1],
              description: 'Ports.',
            },
          },
        },
        token: { type: 'string', minLength: 1, writeOnly: true, description: 'Who we are.' },
      },
    });
  });
});
