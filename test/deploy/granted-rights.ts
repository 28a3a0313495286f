import { readFile } from 'node:fs/promises';
import type { KubeObject } from '@quartermaster/kube';

/** One line of the API server's audit log, as far as rights are concerned. */
interface AuditLine {
  readonly user?: { readonly username?: string; readonly extra?: Readonly<Record<string, readonly string[]>> };
  readonly verb?: string;
  readonly requestURI?: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly requestObject?: unknown;
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
}

interface RoleObject extends KubeObject {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
}

/** One verb on one kind, in one namespace or everywhere, on one name or all. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Undefined: in all, and on what has none. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export interface AskedFor extends Omit<Right, 'namespace' | 'name'> {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly uri: string;
  readonly code: number;
  /** Why it was refused; empty where it was not. */
  readonly message: string;
  /** What was sent, where the log has it. */
  readonly body: unknown;
  /** Which token was shown: `credentialOf` of it. */
  readonly credential: string;
}

/** What the log calls a token of a service account: processes that each have one of their own are told apart by it. */
export function credentialOf(token: string): string {
  const [, payload = ''] = token.split('.');
  const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly jti: string };
  return `JTI=${jti}`;
}

export const isRole = (object: KubeObject): object is RoleObject => object.kind === 'Role' || object.kind === 'ClusterRole';

export function rightsOf({ metadata, rules }: RoleObject): Right[] {
  return rules.flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          (resourceNames ?? [undefined]).map((name) => ({ group, resource, verb, namespace: metadata?.namespace, name })),
        ),
      ),
    ),
  );
}

/** Everything that a user asked the API server for. */
export async function askedBy(auditLog: string, username: string): Promise<AskedFor[]> {
  // What follows the last line break is being written.
  const lines = (await readFile(auditLog, 'utf8')).split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const { user, verb = '', objectRef, requestURI = '', requestObject: body, responseStatus } = JSON.parse(line) as AuditLine;
    if (user?.username !== username) return [];
    const { apiGroup: group = '', resource = '', subresource, namespace, name } = objectRef ?? {};
    const kind = subresource === undefined ? resource : `${resource}/${subresource}`;
    const { code = 0, message = '' } = responseStatus ?? {};
    const credential = user.extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '';
    return [{ group, resource: kind, verb, namespace, name, uri: requestURI, code, message, body, credential }];
  });
}

export function isUsed(right: Right, asked: readonly AskedFor[]): boolean {
  return asked.some(
    ({ group, resource, verb, namespace, name }) =>
      group === right.group &&
      resource === right.resource &&
      verb === right.verb &&
      (right.namespace === undefined || namespace === right.namespace) &&
      (right.name === undefined || name === right.name),
  );
}
