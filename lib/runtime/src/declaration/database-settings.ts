import { type ConfigDefinition, type ConfigValues, defineConfig, type Secret, secret } from '@quartermaster/service';
import * as z from 'zod';

/** Which database a role keeps its data in, and the keys that encrypt secrets there. */
export interface DatabaseConfig {
  readonly url: Secret | undefined;
  readonly connections: number;
  readonly dataDirectory: string | undefined;
  readonly keyRing: Secret | undefined;
  readonly keyRingFile: string | undefined;
}

const file = z.string().min(1).optional();

/** The settings of the database of a role, under one prefix: a URL, or a directory for an embedded server. */
export function databaseSettings(prefix: string): {
  readonly definition: ConfigDefinition;
  readonly read: (config: ConfigValues) => DatabaseConfig;
} {
  const url = `${prefix}-database-url`;
  const connections = `${prefix}-database-connections`;
  const directory = `${prefix}-data-directory`;
  const keyRing = `${prefix}-key-ring`;
  const keyRingFile = `${prefix}-key-ring-file`;
  const definition = defineConfig(
    {
      [url]: secret()
        .optional()
        .describe('PostgreSQL 15 or later: postgresql://user:password@host:5432/database. Without it, an embedded server keeps the data.'),
      [connections]: z.number().int().min(2).max(500).default(10).describe('Maximum number of connections to the database.'),
      [directory]: file.describe(
        'Directory of the embedded PostgreSQL, and of the key ring and the key of local tokens where these have no file of their own.',
      ),
      [keyRing]: secret()
        .optional()
        .describe(
          'Keys that encrypt secrets: entries ID:BASE64 of 32 bytes, separated by commas; the first one encrypts, all of them decrypt.',
        ),
      [keyRingFile]: file.describe(
        'File with the same, one entry in a line. Reloaded when it changes. With an embedded database it is made in the data directory unless given.',
      ),
    },
    {
      rules: [
        (config) =>
          config[url] === undefined && config[directory] === undefined
            ? { key: url, message: `must be set, or ${directory} for an embedded database` }
            : undefined,
        (config) =>
          config[keyRing] !== undefined && config[keyRingFile] !== undefined
            ? { key: keyRing, message: `must not be set together with ${keyRingFile}` }
            : undefined,
        (config) =>
          config[url] !== undefined && config[keyRing] === undefined && config[keyRingFile] === undefined
            ? { key: keyRingFile, message: `must be set, or ${keyRing}: all replicas of a database need the same keys` }
            : undefined,
      ],
    },
  );
  // The values have passed the schema above.
  return {
    definition,
    read: (config) => ({
      url: config[url] as Secret | undefined,
      connections: config[connections] as number,
      dataDirectory: config[directory] as string | undefined,
      keyRing: config[keyRing] as Secret | undefined,
      keyRingFile: config[keyRingFile] as string | undefined,
    }),
  };
}
