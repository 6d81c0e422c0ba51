/** Style sheets are imported for the bundler, which puts them into the page. */
declare module '*.css';
