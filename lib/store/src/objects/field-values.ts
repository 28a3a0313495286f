import { type DescField, type DescMessage, isMessage, type Message } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';

/**
 * Reads what a message holds at a path by the names of the contract, in which `*` stands for every value of a map or list: `spec.node_sets.*.host_class`. What is not set
 * is left out. A path that the type does not have is a bug and throws at once. Plain properties: reflection costs more than the rest of a write.
 */
export function fieldValues(schema: DescMessage, path: string): (message: Message) => unknown[] {
  const steps = stepsOf(schema, path);
  return (message) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [message]);
}

type Step = (value: unknown) => unknown[];

function stepsOf(schema: DescMessage, path: string): Step[] {
  let message: DescMessage | undefined = schema;
  let repeated: DescField | undefined;
  return path.split('.').map((name): Step => {
    if (name === '*' && repeated !== undefined) {
      repeated = undefined;
      return (value) => (typeof value === 'object' && value !== null ? Object.values(value) : []);
    }
    const field: DescField | undefined = message?.fields.find((each) => each.name === name);
    if (field === undefined || field.oneof !== undefined || repeated !== undefined) {
      throw new StatusError('internal', `path ${path}: ${schema.typeName} has no field ${name} there that a column could hold`);
    }
    message = field.message;
    repeated = field.fieldKind === 'list' || field.fieldKind === 'map' ? field : undefined;
    const { localName } = field;
    return (value) => {
      const found: unknown = isMessage(value) ? Reflect.get(value, localName) : undefined;
      return found === undefined ? [] : [found];
    };
  });
}
