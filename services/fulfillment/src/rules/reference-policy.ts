import { lstatSync, realpathSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { equals } from '@bufbuild/protobuf';
import { type SecretReference, SecretReferenceSchema } from '@quartermaster/api/private';
import type { FieldViolation } from '@quartermaster/kernel';

/** What references of hosts and hubs may name. Nothing, unless the settings say so. */
export interface AllowedReferences {
  /** Absolute paths. Files below them may be named. */
  readonly directories: readonly string[];
  /** `NAMESPACE/NAME`, where `*` stands for any characters. */
  readonly secrets: readonly string[];
}

export const noReferences: AllowedReferences = { directories: [], secrets: [] };

/**
 * Decides which references are stored and handed out. When one is written, links are followed where the file is on this machine; of one that is not, only the path can be
 * looked at. When it is handed out, its path alone is: lists hand out very many. What is allowed may change while the service runs.
 */
export class ReferencePolicy {
  #allowed: AllowedReferences;

  constructor(allowed: AllowedReferences) {
    this.#allowed = allowed;
  }

  /** Another object after each update. */
  get allowed(): AllowedReferences {
    return this.#allowed;
  }

  update(allowed: AllowedReferences): void {
    this.#allowed = { ...allowed };
  }

  /** What is wrong with a reference that is written. One that is stored already was judged before, and is judged again whenever it is handed out. */
  violations(field: string, before: SecretReference | undefined, after: SecretReference | undefined): FieldViolation[] {
    if (after === undefined || (before !== undefined && equals(SecretReferenceSchema, before, after))) return [];
    const problem = this.problemOf(after) ?? this.#linkProblem(after);
    return problem === undefined ? [] : [{ field: `${field}.${problem.part}`, description: problem.rule }];
  }

  /** Undefined for one that may be handed out. */
  problemOf({ source }: SecretReference): ReferenceProblem | undefined {
    switch (source.case) {
      case 'file':
        return this.#fileProblem(source.value);
      case 'kubernetesSecret': {
        const { namespace, name } = source.value;
        if (this.#allowed.secrets.some((pattern) => matches(pattern, `${namespace}/${name}`))) return undefined;
        return {
          part: 'kubernetes_secret.name',
          rule: 'must be a Secret that the setting fulfillment-reference-secrets allows; ask whoever runs the service to add it there',
        };
      }
      case undefined:
        return undefined;
    }
  }

  #fileProblem(path: string): ReferenceProblem | undefined {
    if (this.#directoryOf(path) !== undefined && normalize(path) === path && !path.endsWith('/')) return undefined;
    return {
      part: 'file',
      rule: 'must be the plain path of a file in a directory that the setting fulfillment-reference-directories allows; ask whoever runs the service to add it there',
    };
  }

  #linkProblem({ source }: SecretReference): ReferenceProblem | undefined {
    const directory = source.case === 'file' ? this.#directoryOf(source.value) : undefined;
    if (source.case !== 'file' || directory === undefined || !leadsOut(source.value, directory)) return undefined;
    return { part: 'file', rule: 'must not lead out of its allowed directory by a link; name the file itself, where that is allowed' };
  }

  #directoryOf(path: string): string | undefined {
    return this.#allowed.directories.find((each) => isBelow(path, each));
  }
}

export interface ReferenceProblem {
  /** Which part of the reference. */
  readonly part: string;
  readonly rule: string;
}

const isBelow = (path: string, directory: string): boolean => path.startsWith(`${withoutSlash(directory)}/`);

const withoutSlash = (path: string): string => path.replace(/\/+$/, '');

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]*')}$`).test(text);
}

/** Whether a link on the way to the file leads out of the directory. One whose end cannot be seen does. */
function leadsOut(path: string, directory: string): boolean {
  const real = realPathOf(directory);
  if (real === 'unclear') return true;
  const top = real === 'absent' ? withoutSlash(directory) : real;
  for (let at = path; isBelow(at, directory); at = dirname(at)) {
    const found = realPathOf(at);
    if (found === 'unclear') return true;
    if (found !== 'absent') return !isBelow(found, top);
  }
  return false;
}

/** `absent`: nothing has this path. `unclear`: something has it, or may have, and where it leads cannot be seen. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    try {
      lstatSync(path);
      return 'unclear';
    } catch (thrown) {
      return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT' ? 'absent' : 'unclear';
    }
  }
}
