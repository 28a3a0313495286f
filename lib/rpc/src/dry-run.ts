import type { DescMethod, Message } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { StatusError } from '@quartermaster/kernel';
import { pathOf } from './service-definition.ts';

const header = 'x-dry-run';

/** How a method takes the wish to be only tried. */
export type DryRunForm =
  | { readonly kind: 'field'; readonly localName: string }
  /** It changes nothing anyway. */
  | { readonly kind: 'harmless' }
  /** It would do it: the wish is refused. */
  | { readonly kind: 'none' };

/** By convention a method that can be tried has a field `dry_run`. */
export function dryRunForm(method: DescMethod): DryRunForm {
  const field = method.input.fields.find((each) => each.name === 'dry_run');
  if (field !== undefined) return { kind: 'field', localName: field.localName };
  return { kind: method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ? 'harmless' : 'none' };
}

/** Has the header `x-dry-run` mean the same as the field. Throws `invalid_argument` rather than have a method do what was only to be tried. */
export function applyDryRun(
  method: DescMethod,
  form: DryRunForm,
  request: Message,
  call: { header(name: string): string | undefined },
): void {
  if (form.kind === 'harmless') return;
  const text = call.header(header)?.trim().toLowerCase();
  if (text === undefined || text === 'false') return;
  if (text !== 'true') throw new StatusError('invalid_argument', `header ${header}: must be true or false`);
  if (form.kind === 'none') {
    throw new StatusError('invalid_argument', `header ${header}: ${pathOf(method)} does not support dry run: omit the header`);
  }
  Object.assign(request, { [form.localName]: true });
}
