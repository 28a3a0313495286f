import { notAcceptable, unsupportedMediaType } from '../../schema/api-status.ts';

/** How an answer is to look: the object itself, a table of it for people, or a discovery document. */
export type AnswerForm = { readonly form: 'object' } | { readonly form: 'table' } | { readonly form: 'aggregated' };

const plain: AnswerForm = { form: 'object' };

/**
 * The first form of an Accept header that this server has. It speaks JSON only: a client that would rather have protobuf
 * and names JSON as well gets JSON.
 */
export function answerForm(accept: string | undefined, allowed: readonly AnswerForm['form'][] = ['object', 'table']): AnswerForm {
  if (accept === undefined || accept.trim() === '') return plain;
  for (const entry of accept.split(',')) {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    if (!['application/json', '*/*', 'application/*'].includes(type)) continue;
    const values = new Map(parameters.map((each) => each.split('=', 2) as [string, string | undefined]));
    const found = formOf(values.get('as'), values.get('g'), values.get('v'));
    if (found !== undefined && allowed.includes(found.form)) return found;
  }
  throw notAcceptable(['application/json']);
}

function formOf(as: string | undefined, group: string | undefined, version: string | undefined): AnswerForm | undefined {
  if (as === undefined) return plain;
  if (group === 'meta.k8s.io' && as === 'table' && version === 'v1') return { form: 'table' };
  if (group === 'apidiscovery.k8s.io' && as === 'apigroupdiscoverylist' && version === 'v2') return { form: 'aggregated' };
  return undefined;
}

export type BodyFormat = 'json' | 'yaml' | 'protobuf';

export function bodyFormat(contentType: string | undefined): BodyFormat {
  const type = mediaTypeOf(contentType);
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  if (type === 'application/vnd.kubernetes.protobuf') return 'protobuf';
  throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
}

export type PatchFormat = 'json' | 'merge' | 'strategic' | 'apply';

const patchFormats: Readonly<Record<string, PatchFormat>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
  'application/apply-patch+json': 'apply',
};

export function patchFormat(contentType: string | undefined, allowed: readonly PatchFormat[]): PatchFormat {
  const found = patchFormats[mediaTypeOf(contentType)];
  if (found !== undefined && allowed.includes(found)) return found;
  throw unsupportedMediaType(Object.keys(patchFormats).filter((type) => allowed.includes(patchFormats[type] ?? 'json')));
}

const mediaTypeOf = (contentType: string | undefined): string => (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
