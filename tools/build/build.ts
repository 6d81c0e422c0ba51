/** `npm run build`: makes dist/ from the sources. One process, because each that starts reads the same modules again. */
await import('./clean.ts');
await import('../reference/generate.ts');
await import('./recorder.ts');
await import('../recorder/build-recorder.ts');
await import('./message-check.ts');
await import('./bundle-programs.ts');
await import('./copy-data.ts');
await import('./compile-suites.ts');
await import('./bundle-web.ts');
await import('./trusted-root.ts');
await import('./own-files.ts');
