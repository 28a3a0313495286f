import type { ConfigDefinition } from '@quartermaster/service';

/** The settings of a role, for its help. */
export function settingsText(...definitions: readonly ConfigDefinition[]): string {
  const settings = definitions.flatMap(({ keys }) => keys);
  const lines = settings.flatMap(({ flag, typeName, isRequired, defaultValue, description }) => [
    `  --${flag} (${[typeName, ...(isRequired ? ['required'] : defaultText(defaultValue))].join(', ')})`,
    `      ${description}`,
  ]);
  return [
    '',
    'Settings, by flag, by QUARTERMASTER_<KEY> in the environment, or in the file that QUARTERMASTER_CONFIG names:',
    ...lines,
    '',
  ].join('\n');
}

function defaultText(value: unknown): readonly string[] {
  if (value === undefined) return [];
  return [`default ${Array.isArray(value) ? value.join(',') : String(value)}`];
}
