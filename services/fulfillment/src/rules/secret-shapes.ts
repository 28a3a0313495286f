import type { SecretReference } from '@quartermaster/api/private';
import type { FieldViolation } from '@quartermaster/kernel';
import { isRedacted } from '@quartermaster/objects';

/** Checks of secrets look at their shape only. What they say never repeats any of the content. */

export function sshPublicKeyViolations(field: string, text: string): FieldViolation[] {
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.some((line) => line.includes('PRIVATE KEY'))) {
    return [
      { field, description: 'must be a public key, and is a private one: use the file that ends in ".pub", and replace that key pair' },
    ];
  }
  if (keys.every(isSshKey)) return [];
  return [{ field, description: 'must be an OpenSSH public key, such as "ssh-ed25519 AAAA... comment", one on each line' }];
}

/** The base64 text of a key begins with the length and the name of its type, so the two must agree. */
function isSshKey(line: string): boolean {
  const [type = '', body = ''] = line.split(/\s+/);
  if (!/^(ssh-(ed25519|rsa|dss)|ecdsa-sha2-nistp\d+|sk-[a-z0-9-]+@openssh\.com)$/.test(type) || !/^[A-Za-z0-9+/]+=*$/.test(body))
    return false;
  const bytes = Buffer.from(body, 'base64');
  return bytes.length > type.length + 4 && bytes.readUInt32BE(0) === type.length && bytes.toString('latin1', 4, 4 + type.length) === type;
}

export function pullSecretViolations(field: string, text: string): FieldViolation[] {
  if (text === '' || isRedacted(text)) return [];
  const auths = memberOf(parsedJson(text), 'auths');
  if (isRecord(auths) && Object.values(auths).every(isRecord)) return [];
  return [{ field, description: 'must be the JSON of a Docker configuration with an object "auths" that has one object per registry' }];
}

export function secretReferenceViolations(field: string, reference: SecretReference | undefined): FieldViolation[] {
  if (reference === undefined) return [];
  const { source } = reference;
  switch (source.case) {
    case 'kubernetesSecret': {
      const { namespace, name, key } = source.value;
      const at = `${field}.kubernetes_secret`;
      const dns = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
      const rule = 'must be set, to lower-case letters, digits, "-" and "." as Kubernetes has them';
      return [
        ...(dns.test(namespace) ? [] : [{ field: `${at}.namespace`, description: rule }]),
        ...(dns.test(name) ? [] : [{ field: `${at}.name`, description: rule }]),
        ...(/^[A-Za-z0-9._-]{1,253}$/.test(key)
          ? []
          : [{ field: `${at}.key`, description: 'must be set, to letters, digits, "-", "_" and "."' }]),
      ];
    }
    case 'file':
      return source.value.startsWith('/') && !source.value.split('/').includes('..')
        ? []
        : [{ field: `${field}.file`, description: 'must be an absolute path without ".."' }];
    case undefined:
      return [{ field, description: 'must name a source: kubernetes_secret or file' }];
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
