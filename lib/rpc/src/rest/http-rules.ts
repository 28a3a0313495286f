import { type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import { http } from '../generated/google/api/annotations_pb.ts';
import type { HttpRule } from '../generated/google/api/http_pb.ts';

/** One HTTP method and path that leads to a method of a service: one binding of its google.api.http rule. */
export interface RestBinding {
  readonly verb: string;
  /** As the contract has it: `/v1/hosts/{id}`. */
  readonly path: string;
  /** Empty: no body. `*`: the whole request. Otherwise the field that it is. */
  readonly body: string;
  /** The field that is answered; empty for the whole message. */
  readonly responseBody: string;
}

/** How a method is served as REST; empty when its contract has no rule for that. */
export function restBindings(method: DescMethod): RestBinding[] {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].map((each) => bindingOf(method, each));
}

function bindingOf(method: DescMethod, rule: HttpRule): RestBinding {
  const { case: kind, value } = rule.pattern;
  if (kind === undefined) throw new StatusError('internal', `${method.name}: its http rule has no path`);
  const [verb, path] = kind === 'custom' ? [value.kind, value.path] : [kind.toUpperCase(), value];
  return { verb, path, body: rule.body, responseBody: rule.responseBody };
}
