import type { DescMessage, DescService } from '@bufbuild/protobuf';
import * as fulfillment from '@quartermaster/api/fulfillment';
import * as market from '@quartermaster/api/market';
import * as internal from '@quartermaster/api/private';
import type { Kind, KindPlural } from './kind.ts';
import { everyKind } from './kinds.ts';

/** A kind as one of the two APIs has it. */
interface KindForm {
  readonly schema: DescMessage;
  readonly service: DescService;
}

interface KindForms {
  readonly private: KindForm;
  /** Absent where tenants have no such thing. */
  readonly public?: KindForm | undefined;
}

/** The contracts of all kinds, found by their names: `HostClass` is served by `HostClasses`. */
export const kindForms = Object.fromEntries(
  everyKind.map((kind) => {
    const isMarket = kind.server === 'market';
    return [kind.plural, { private: formIn(isMarket ? market : internal, kind), public: formIn(isMarket ? market : fulfillment, kind) }];
  }),
) as Readonly<Record<KindPlural, KindForms>>;

function formIn(contract: Readonly<Record<string, unknown>>, { message, service: name }: Kind): KindForm | undefined {
  const [schema, service] = [contract[`${message}Schema`], contract[name]];
  return schema === undefined || service === undefined ? undefined : { schema: schema as DescMessage, service: service as DescService };
}
