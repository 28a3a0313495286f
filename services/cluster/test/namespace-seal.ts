import { createHmac } from 'node:crypto';

/** What the namespace of this uid has for a seal, written anew here: namespaces that are there have it, so that it cannot change. */
export const namespaceSeal = (salt: string, uid: string): string =>
  createHmac('sha256', salt)
    .update(JSON.stringify(['namespace', 'sealed', uid]))
    .digest('hex');
