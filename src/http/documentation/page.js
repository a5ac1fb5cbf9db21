// Starts the bundled viewer on the service's own description. The service's
// Content-Security-Policy keeps the page from asking anyone else.

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
