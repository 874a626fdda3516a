// A web application that signs users in, and demands a one-time code on one page.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"html"
	"log"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type session struct {
	// What the sign-in that has begun must come back with.
	state, nonce, verifier, returnTo string
	// What it has brought.
	name, idToken string
	amr           []string
}

type application struct {
	url         string
	oauth       oauth2.Config
	provider    *oidc.Provider
	verifier    *oidc.IDTokenVerifier
	endSession  string
	sessionLock sync.Mutex
	sessions    map[string]*session // by the value of the cookie; several processes need a shared store
}

func main() {
	issuer := setting("ISSUER", "http://localhost:8080")
	port := setting("PORT", "3000")
	self := "http://localhost:" + port
	provider, err := oidc.NewProvider(context.Background(), issuer)
	if err != nil {
		log.Fatal(err)
	}
	var metadata struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&metadata); err != nil {
		log.Fatal(err)
	}
	id := setting("CLIENT_ID", "example")
	app := &application{
		url: self,
		oauth: oauth2.Config{
			ClientID:     id,
			ClientSecret: os.Getenv("CLIENT_SECRET"),
			Endpoint:     provider.Endpoint(),
			RedirectURL:  self + "/callback",
			Scopes:       []string{oidc.ScopeOpenID, "profile"},
		},
		provider:   provider,
		verifier:   provider.Verifier(&oidc.Config{ClientID: id}),
		endSession: metadata.EndSession,
		sessions:   map[string]*session{},
	}
	http.HandleFunc("GET /{$}", func(response http.ResponseWriter, request *http.Request) {
		fmt.Fprint(response, `<a href="/payments">Payments</a>`)
	})
	http.HandleFunc("GET /sign-in", app.signIn)
	http.HandleFunc("GET /callback", app.callback)
	http.HandleFunc("GET /payments", app.requireOtp(payments))
	http.HandleFunc("POST /sign-out", app.signOut)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}

// requireOtp admits users who have entered a one-time code; all others sign in with one.
func (app *application) requireOtp(page func(http.ResponseWriter, *session)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		user := app.sessionOf(request)
		switch {
		case user == nil || user.idToken == "":
			app.signIn(response, request)
		case !slices.Contains(user.amr, "otp"):
			response.Header().Set("Content-Type", "text/html")
			response.WriteHeader(http.StatusForbidden)
			fmt.Fprint(response, `Please set up an authenticator app, then sign in again. <a href="/sign-in">Sign in</a>`)
		default:
			page(response, user)
		}
	}
}

func payments(response http.ResponseWriter, user *session) {
	form := `<form method="post" action="/sign-out"><button>Sign out</button></form>`
	fmt.Fprintf(response, "Payments of %s %s", html.EscapeString(user.name), form)
}

func (app *application) signIn(response http.ResponseWriter, request *http.Request) {
	begun := &session{
		state:    rand.Text(),
		nonce:    rand.Text(),
		verifier: oauth2.GenerateVerifier(),
		returnTo: strings.TrimPrefix(request.URL.Path, "/sign-in"),
	}
	app.open(response, begun)
	http.Redirect(response, request, app.oauth.AuthCodeURL(begun.state, oidc.Nonce(begun.nonce),
		oauth2.S256ChallengeOption(begun.verifier), oauth2.SetAuthURLParam("acr_values", "urn:login:acr:mfa")), http.StatusFound)
}

func (app *application) callback(response http.ResponseWriter, request *http.Request) {
	begun := app.sessionOf(request)
	if begun == nil || begun.state == "" || request.FormValue("state") != begun.state {
		http.Error(response, "This browser has begun no such sign-in.", http.StatusBadRequest)
		return
	}
	user, err := app.redeem(request.Context(), request.FormValue("code"), begun)
	if err != nil {
		log.Print(err)
		http.Error(response, "The sign-in has failed.", http.StatusBadRequest)
		return
	}
	app.close(request)
	app.open(response, user)
	http.Redirect(response, request, "/"+strings.TrimPrefix(begun.returnTo, "/"), http.StatusFound)
}

// redeem exchanges the code, and verifies the ID token: signature, issuer, audience, times and nonce.
func (app *application) redeem(ctx context.Context, code string, begun *session) (*session, error) {
	token, err := app.oauth.Exchange(ctx, code, oauth2.VerifierOption(begun.verifier))
	if err != nil {
		return nil, err
	}
	written, _ := token.Extra("id_token").(string)
	idToken, err := app.verifier.Verify(ctx, written)
	if err != nil {
		return nil, err
	}
	if idToken.Nonce != begun.nonce {
		return nil, fmt.Errorf("the ID token is that of another sign-in")
	}
	info, err := app.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, err
	}
	var claims struct {
		Amr  []string `json:"amr"`
		Name string   `json:"preferred_username"`
	}
	if err := idToken.Claims(&claims); err != nil {
		return nil, err
	}
	if err := info.Claims(&claims); err != nil {
		return nil, err
	}
	if info.Subject != idToken.Subject {
		return nil, fmt.Errorf("userinfo is about another user")
	}
	return &session{idToken: written, amr: claims.Amr, name: claims.Name}, nil
}

func (app *application) signOut(response http.ResponseWriter, request *http.Request) {
	query := url.Values{"post_logout_redirect_uri": {app.url + "/"}, "client_id": {app.oauth.ClientID}}
	if user := app.sessionOf(request); user != nil {
		query.Set("id_token_hint", user.idToken)
	}
	app.close(request)
	http.Redirect(response, request, app.endSession+"?"+query.Encode(), http.StatusSeeOther)
}

func (app *application) sessionOf(request *http.Request) *session {
	cookie, err := request.Cookie("session")
	if err != nil {
		return nil
	}
	app.sessionLock.Lock()
	defer app.sessionLock.Unlock()
	return app.sessions[cookie.Value]
}

// open begins a session with a new id, so that nobody knows the id of a session that another person has begun.
func (app *application) open(response http.ResponseWriter, opened *session) {
	id := rand.Text()
	app.sessionLock.Lock()
	app.sessions[id] = opened
	app.sessionLock.Unlock()
	isSecure := strings.HasPrefix(app.url, "https:")
	http.SetCookie(response, &http.Cookie{Name: "session", Value: id, Path: "/", HttpOnly: true, Secure: isSecure, SameSite: http.SameSiteLaxMode})
}

func (app *application) close(request *http.Request) {
	if cookie, err := request.Cookie("session"); err == nil {
		app.sessionLock.Lock()
		delete(app.sessions, cookie.Value)
		app.sessionLock.Unlock()
	}
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
