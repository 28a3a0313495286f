import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { kinds } from '@quartermaster/kube';
import type { Secret } from '@quartermaster/kube/shapes';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { objectMeta } from './object-labels.ts';
import { credentialsName } from './object-names.ts';

/** With which the images of a service are pulled; none where it names none. */
export function credentialObjects(content: LeaseContent, { name, credentials }: ManifestService): readonly DesiredObject<Secret>[] {
  if (credentials === undefined) return [];
  const [host, username, password, email] = [credentials.host, credentials.username, credentials.password, credentials.email].map((text) =>
    text.trim(),
  );
  const auth = base64(`${username}:${password}`);
  const config = { auths: { [host ?? '']: { username, password, email, auth } } };
  return [
    desiredObject(kinds.secrets, {
      metadata: objectMeta(content, credentialsName(name), name),
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': base64(JSON.stringify(config)) },
    }),
  ];
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
