import { Option } from 'commander';
import { presentFields } from '../../text/json-path.ts';
import { age, common, name, text, title } from './columns.ts';
import { type CreateFlags, type Kind, type KindCreation, namesOfKind } from './kind.ts';

interface CreateHostClassFlags extends CreateFlags {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

const creation: KindCreation<CreateHostClassFlags> = {
  summary: 'A host class.',
  options: [new Option('--title <text>', 'title to display'), new Option('--description <text>', 'description to display')],
  fields: ({ title: own, description }) => presentFields({ title: own, description }),
};

export const hostClasses: Kind = {
  ...namesOfKind('HostClass'),
  summary: 'Host classes: the kinds of machines.',
  columns: [name, title, age, ...common, text('DESCRIPTION', 'description', { isWide: true })],
  references: [],
  creation,
};
