import { StatusError } from '@quartermaster/kernel';
import { checkedAddress } from '../server/checked-address.ts';
import { clientTls } from '../server/client-tls.ts';
import { contentOf } from '../server/content-of.ts';
import type { RpcServerAccess } from '../server/rpc-server-access.ts';
import { type ServerFlags, serverVariable } from '../server/server-flags.ts';
import { findRun } from '../up/run-file.ts';

/** The server that is meant: the flag, the environment, or the `up` that runs on this machine. Ask again after a restart: it may have moved. */
export function findServer(flags: ServerFlags, env: NodeJS.ProcessEnv): RpcServerAccess {
  const address =
    checkedAddress(flags.server, '--server') ?? checkedAddress(env[serverVariable], serverVariable) ?? addressOfRun(flags.dataDir);
  const { tokenFile } = flags;
  const tls = clientTls(flags, address);
  return {
    address,
    ...(tls === undefined ? {} : { tls }),
    ...(tokenFile === undefined ? {} : { token: () => contentOf(tokenFile, '--token-file').trim() }),
  };
}

function addressOfRun(dataDir: string): string {
  const elsewhere = `name a server with --server HOST:PORT or ${serverVariable}`;
  let facts: ReturnType<typeof findRun>;
  try {
    facts = findRun(dataDir);
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
    throw new StatusError(thrown.code, `${thrown.message}, or ${elsewhere}`, { cause: thrown });
  }
  const served = facts.roles['operator-inventory'];
  if (served === undefined) {
    throw new StatusError('unavailable', `the \`up\` on ${dataDir} serves no inventory yet: ask again in a moment, or ${elsewhere}`);
  }
  return served.grpc;
}
