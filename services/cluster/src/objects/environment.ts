import { createHash, createHmac } from 'node:crypto';
import type { EnvVariable, ManifestService } from '@quartermaster/api/lease-manifest';
import { kinds } from '@quartermaster/kube';
import type { EnvVar } from '@quartermaster/kube/shapes';
import { isSensitive } from '../manifest/sensitive-env.ts';
import { isCardVariable } from './card-variables.ts';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { objectMeta } from './object-labels.ts';
import { environmentName } from './object-names.ts';

/** The environment of a service: what its pods refer to, and where the values are. */
export interface ServiceEnvironment {
  readonly variables: readonly EnvVar[];
  readonly objects: readonly DesiredObject[];
  /** Changes with every value, and tells nothing of them to who does not know the salt. */
  readonly hash: string;
}

const hashLength = 16;
const maxKeyLength = 253;

/** A tenant's variables in the order of the manifest, then those that say which lease this is: nobody else sets those. */
export function serviceEnvironment(content: LeaseContent, service: ManifestService): ServiceEnvironment {
  const own = ownVariables(content);
  const given = givenVariables(service, new Set(own.map(({ name }) => name)));
  const { true: secret = [], false: plain = [] } = Object.groupBy(given, ({ name }) =>
    isSensitive(name, content.settings.sensitiveEnv) ? 'true' : 'false',
  );
  const secrets = new Set(secret);
  const name = environmentName(service.name);
  const meta = objectMeta(content, name, service.name);
  const data = Object.fromEntries(plain.map((each) => [keyOf(each.name), each.value]));
  const secretData = Object.fromEntries(secret.map((each) => [keyOf(each.name), Buffer.from(each.value).toString('base64')]));
  const variables = given.map((each): EnvVar => {
    const ref = { name, key: keyOf(each.name) };
    return { name: each.name, valueFrom: secrets.has(each) ? { secretKeyRef: ref } : { configMapKeyRef: ref } };
  });
  return {
    variables: [...variables, ...own],
    objects: [
      ...(plain.length > 0 ? [desiredObject(kinds.configMaps, { metadata: meta, data })] : []),
      ...(secret.length > 0 ? [desiredObject(kinds.secrets, { metadata: meta, type: 'Opaque', data: secretData })] : []),
    ],
    hash: createHmac('sha256', content.salt)
      .update(JSON.stringify([byKey(data), byKey(secretData)]))
      .digest('hex')
      .slice(0, hashLength),
  };
}

/** The last of each name, where it stands. */
function givenVariables({ env }: ManifestService, kept: ReadonlySet<string>): readonly EnvVariable[] {
  const last = new Map<string, EnvVariable>(); // name -> variable
  for (const variable of env) {
    if (kept.has(variable.name) || isCardVariable(variable.name)) continue;
    last.delete(variable.name);
    last.set(variable.name, variable);
  }
  return [...last.values()];
}

function ownVariables({ lease, settings }: LeaseContent): readonly EnvVar[] {
  const values = {
    AKASH_GROUP_SEQUENCE: String(lease.gseq),
    AKASH_DEPLOYMENT_SEQUENCE: String(lease.dseq),
    AKASH_ORDER_SEQUENCE: String(lease.oseq),
    AKASH_OWNER: lease.owner,
    AKASH_PROVIDER: lease.provider,
    AKASH_CLUSTER_PUBLIC_HOSTNAME: settings.publicHostname,
  };
  // The API server does not store an empty value.
  return Object.entries(values).map(([name, value]) => (value === '' ? { name } : { name, value }));
}

/** Names of variables may be what keys cannot be. */
function keyOf(name: string): string {
  if (name.length <= maxKeyLength && /^[-._a-zA-Z0-9]+$/.test(name) && !name.startsWith('.')) return name;
  return `.${createHash('sha256').update(name).digest('hex')}`;
}

const byKey = (data: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1));
