import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { StatusError } from '@quartermaster/kernel';

/** Reads one JSON document of an issuer. Throws `unavailable` when there is none to be had. */
export type ReadJson = (url: URL, signal: AbortSignal) => Promise<unknown>;

export interface ReadJsonOptions {
  /** PEM; the authorities that the issuers' certificates come from, in place of those that Node knows. */
  readonly ca?: string | undefined;
}

const maxBytes = 1024 * 1024;

/** Follows no redirects: what an issuer says of itself comes from the address that was configured, or not at all. */
export function jsonReader({ ca }: ReadJsonOptions = {}): ReadJson {
  return async (url, signal) => {
    const text = await new Promise<string>((resolve, reject) => {
      const options = { signal, headers: { accept: 'application/json' }, agent: false } as const;
      const request = url.protocol === 'https:' ? tlsRequest(url, { ...options, ca }) : plainRequest(url, options);
      request.on('error', reject);
      request.on('response', (response) => {
        if (response.statusCode !== 200) {
          response.destroy();
          reject(new StatusError('unavailable', `${url.href} returned status ${response.statusCode}`));
          return;
        }
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > maxBytes) response.destroy(new StatusError('unavailable', `${url.href} returned more than ${maxBytes} bytes`));
        });
        response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      });
      request.end();
    });
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new StatusError('unavailable', `${url.href} did not return JSON`, { cause });
    }
  };
}
