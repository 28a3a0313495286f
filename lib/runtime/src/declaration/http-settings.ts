import { isLoopback } from '@quartermaster/kernel';
import { type ConfigDefinition, type ConfigValues, defineConfig } from '@quartermaster/service';
import * as z from 'zod';

/** Default port of a role that serves plain HTTP, such as pages for browsers. */
export interface HttpPort {
  readonly http: number;
}

/** Where and how a role serves HTTP. */
export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

const file = z.string().min(1).optional();

/** The settings of the HTTP server of a role: address, port and TLS, under one prefix. */
export function httpSettings(
  prefix: string,
  { http }: HttpPort,
): { readonly definition: ConfigDefinition; readonly read: (config: ConfigValues) => HttpConfig; readonly portFlags: readonly string[] } {
  const host = `${prefix}-host`;
  const port = `${prefix}-port`;
  const certFile = `${prefix}-tls-cert-file`;
  const keyFile = `${prefix}-tls-key-file`;
  // The values have passed the schema below.
  const read = (config: ConfigValues): HttpConfig => ({
    host: config[host] as string,
    port: config[port] as number,
    certFile: config[certFile] as string | undefined,
    keyFile: config[keyFile] as string | undefined,
  });
  const definition = defineConfig(
    {
      [host]: z.string().min(1).default('127.0.0.1').describe('Address to serve on. Beyond loopback, TLS is needed.'),
      [port]: z.number().int().min(0).max(65_535).default(http).describe('Port to serve on; 0 takes any free one.'),
      [certFile]: file.describe('PEM certificate of the server. Followed while it changes.'),
      [keyFile]: file.describe('PEM key of the server.'),
    },
    {
      rules: [
        (config) =>
          (config[certFile] === undefined) === (config[keyFile] === undefined)
            ? undefined
            : { key: certFile, message: `must be given together with ${keyFile}` },
        (config) =>
          read(config).certFile !== undefined || isLoopback(read(config).host)
            ? undefined
            : { key: host, message: `is beyond loopback, which needs TLS: give ${certFile} and ${keyFile}, or serve on 127.0.0.1` },
      ],
    },
  );
  return { definition, read, portFlags: [`--${port}`] };
}
