interface FilterFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Narrows a table down. Escape leaves it for the table. */
export function FilterField({ label, hint, value, onChange }: FilterFieldProps) {
  return (
    <input
      className="field filter-field"
      type="text"
      aria-label={label}
      placeholder={hint}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}
