import { StatusError } from '@quartermaster/kernel';

/**
 * Compacts etcd to its current revision and drops what is older from disk before it returns, so that no older
 * resourceVersion can be read from it any more. Returns that revision.
 */
export async function compactEtcd(url: string): Promise<bigint> {
  const { header } = await post(url, '/v3/kv/range', { key: 'AA==', keys_only: true, limit: '1' });
  const { revision } = header;
  await post(url, '/v3/kv/compaction', { revision, physical: true });
  return BigInt(revision);
}

/** The JSON gateway writes 64-bit integers as strings. */
interface EtcdReply {
  readonly header: { readonly revision: string };
}

async function post(url: string, path: string, body: object): Promise<EtcdReply> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new StatusError('unavailable', `etcd answered ${path} with ${response.status}: ${await response.text()}`);
  return (await response.json()) as EtcdReply;
}

export async function isEtcdHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    return false;
  }
}
