import { isLoopback } from '@quartermaster/kernel';
import { type ConfigDefinition, type ConfigValues, defineConfig } from '@quartermaster/service';
import * as z from 'zod';

/** Default ports of what a role serves. */
export interface ServerPorts {
  readonly grpc: number;
  readonly rest: number;
  /** A second gRPC port for callers with client certificates, since gRPC cannot ask for one without requiring it. */
  readonly certificates?: number | undefined;
}

/** Where and how a role serves. */
export interface ServerConfig {
  readonly host: string;
  readonly grpcPort: number;
  readonly restPort: number;
  readonly certificatePort: number | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly clientCaFile: string | undefined;
  /** That one caller may make, on average; 0 or absent: any number. */
  readonly requestsPerSecond?: number | undefined;
  /** That one caller may have open; 0 or absent: any number. */
  readonly streamsPerCaller?: number | undefined;
}

export const requestsPerSecondKey = (prefix: string): string => `${prefix}-requests-per-second`;
export const streamsPerCallerKey = (prefix: string): string => `${prefix}-streams-per-caller`;

const file = z.string().min(1).optional();
const port = (standard: number) => z.number().int().min(0).max(65_535).default(standard);

/** The settings of the servers of a role: address, ports, TLS and client authorities, under one prefix. */
export function serverSettings(
  prefix: string,
  ports: ServerPorts,
): { readonly definition: ConfigDefinition; readonly read: (config: ConfigValues) => ServerConfig; readonly portFlags: readonly string[] } {
  const certFile = `${prefix}-tls-cert-file`;
  const keyFile = `${prefix}-tls-key-file`;
  const caFile = `${prefix}-client-ca-file`;
  const hasOwnPort = ports.certificates !== undefined;
  const host = `${prefix}-host`;
  // The values have passed the schema below.
  const text = (config: ConfigValues, key: string): string | undefined => config[key] as string | undefined;
  const number = (config: ConfigValues, key: string): number => config[key] as number;
  const definition = defineConfig(
    {
      [host]: z.string().min(1).default('127.0.0.1').describe('Address to serve on. Beyond loopback, TLS is required.'),
      [`${prefix}-grpc-port`]: port(ports.grpc).describe('Port of the gRPC API; 0 takes any free one.'),
      [`${prefix}-rest-port`]: port(ports.rest).describe('Port of the REST API; 0 takes any free one.'),
      [certFile]: file.describe('PEM certificate of the server. Reloaded when it changes.'),
      [keyFile]: file.describe('PEM key of the server.'),
      [caFile]: file.describe(
        hasOwnPort
          ? 'PEM certificate authorities for callers that present a client certificate instead of a token, on a port of their own.'
          : 'PEM certificate authorities whose client certificates are accepted.',
      ),
      [requestsPerSecondKey(prefix)]: z
        .number()
        .int()
        .min(0)
        .default(1_000)
        .describe(
          'Requests per second that each caller may make on average, four seconds’ worth of them at once; 0: any number. Callers that are not known have a tenth, by address. A stream is one request.',
        ),
      [streamsPerCallerKey(prefix)]: z
        .number()
        .int()
        .min(0)
        .default(200)
        .describe('Streams that each caller may have open; 0: any number. Callers that are not known are counted by address.'),
      ...(hasOwnPort && {
        [`${prefix}-certificate-port`]: port(ports.certificates ?? 0).describe(
          'Port of the gRPC API for callers with client certificates; 0 takes any free one.',
        ),
      }),
    },
    {
      rules: [
        (config) =>
          (config[certFile] === undefined) === (config[keyFile] === undefined)
            ? undefined
            : { key: certFile, message: `must be set together with ${keyFile}` },
        (config) =>
          config[caFile] === undefined || config[certFile] !== undefined
            ? undefined
            : { key: caFile, message: `needs ${certFile}: client certificates need TLS` },
        (config) =>
          config[certFile] !== undefined || isLoopback(text(config, host) ?? '127.0.0.1')
            ? undefined
            : { key: host, message: `is beyond loopback, which needs TLS: give ${certFile} and ${keyFile}, or serve on 127.0.0.1` },
      ],
    },
  );
  return {
    definition,
    portFlags: ['grpc', 'rest', ...(hasOwnPort ? ['certificate'] : [])].map((name) => `--${prefix}-${name}-port`),
    read: (config) => ({
      host: text(config, host) ?? '127.0.0.1',
      grpcPort: number(config, `${prefix}-grpc-port`),
      restPort: number(config, `${prefix}-rest-port`),
      certificatePort: hasOwnPort ? number(config, `${prefix}-certificate-port`) : undefined,
      certFile: text(config, certFile),
      keyFile: text(config, keyFile),
      clientCaFile: text(config, caFile),
      requestsPerSecond: number(config, requestsPerSecondKey(prefix)),
      streamsPerCaller: number(config, streamsPerCallerKey(prefix)),
    }),
  };
}
