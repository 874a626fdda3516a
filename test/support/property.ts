import fc from 'fast-check';

// A verdict of continuous integration depends on the change alone; elsewhere every run looks at new cases.
if (process.env['CI'] === 'true') fc.configureGlobal({ seed: 6238 });

export { fc };
