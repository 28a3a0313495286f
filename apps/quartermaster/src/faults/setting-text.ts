/** A setting of a fault as a person gave it. */
export const settingText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));
