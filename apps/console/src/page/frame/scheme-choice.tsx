import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';

// scheme -> in words
const schemes: Readonly<Record<MantineColorScheme, string>> = { auto: 'system', light: 'light', dark: 'dark' };

/** Dark, light, or as the system has it. The choice is kept in this browser. */
export function SchemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <select
      className="scheme-choice"
      aria-label="Colours"
      title="Colours"
      value={colorScheme}
      onChange={({ currentTarget }) => {
        const chosen = (Object.keys(schemes) as MantineColorScheme[]).find((scheme) => scheme === currentTarget.value);
        if (chosen !== undefined) setColorScheme(chosen);
      }}
    >
      {Object.entries(schemes).map(([scheme, words]) => (
        <option key={scheme} value={scheme}>
          {words}
        </option>
      ))}
    </select>
  );
}
