// Starts the bundled viewer on the service's own description. The service's
// Content-Security-Policy keeps the page from asking anyone else.

// The viewer has a dark dress that nobody puts on by itself.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const dress = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', dress);
dress();

window.SwaggerUIBundle({
  dom_id: '#viewer',
  url: '/grid-api/v1/openapi.json',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  displayRequestDuration: true,
  tryItOutEnabled: true,
  filter: true,
});
