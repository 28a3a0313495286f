import { InventoryService } from '@quartermaster/api/inventory';
import { StatusError } from '@quartermaster/kernel';
import { openRpcChannel, type ServiceClient } from '@quartermaster/rpc';
import type { InventoryServer } from './inventory-server.ts';
import { serverVariable } from './server-flags.ts';

export type InventoryClient = ServiceClient<typeof InventoryService>;

export interface InventoryConnection {
  readonly client: InventoryClient;
  /** A failure of the client as one line that names the way out. */
  explained(thrown: unknown): unknown;
  close(): void;
}

export function connectInventory(server: InventoryServer): InventoryConnection {
  const { address, tls, token } = server;
  const channel = openRpcChannel({ address, ...(tls === undefined ? {} : { tls }), ...(token === undefined ? {} : { token }) });
  return {
    client: channel.client(InventoryService),
    explained: (thrown) => explainedFailure(thrown, server),
    close: () => channel.close(),
  };
}

/** Asks once. What goes wrong is told as one line that names the way out. */
export async function askInventory<T>(server: InventoryServer, ask: (client: InventoryClient) => Promise<T>): Promise<T> {
  const connection = connectInventory(server);
  try {
    return await ask(connection.client);
  } catch (thrown) {
    throw connection.explained(thrown);
  } finally {
    connection.close();
  }
}

/**
 * What a person can do about a failed call, in one line: without what the transport says of the same thing. Answers of the server itself name
 * the way out already.
 */
export function explainedFailure(thrown: unknown, { address, token }: InventoryServer): unknown {
  if (!(thrown instanceof StatusError)) return thrown;
  const { code, message } = thrown;
  const elsewhere = `start one, or name another with --server HOST:PORT or ${serverVariable}`;
  if (message.startsWith('Name resolution failed')) {
    return new StatusError('unavailable', `${address} has a name that nobody knows: name another with --server HOST:PORT`);
  }
  const problem = /^No connection established\. Last error: (?:Error: )?(.*?)(?:\. Resolution note:.*)?$/s.exec(message)?.[1];
  if (problem !== undefined) {
    const wayOut = /certificate|altname|self.signed|issuer/i.test(problem)
      ? 'give the authority that signed it with --ca-file, or the name that it has with --tls-server-name'
      : elsewhere;
    return new StatusError('unavailable', `no inventory answers at ${address} (${problem}): ${wayOut}`);
  }
  if (code === 'unauthenticated' && token === undefined) return new StatusError(code, `${message}; a token is given with --token-file`);
  // Of its own failure only the server has more to say.
  return new StatusError(code === 'internal' ? 'unavailable' : code, code === 'internal' ? `${address}: ${message}` : message);
}
